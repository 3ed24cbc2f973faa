import { describe, expect, it } from 'vitest';
import { createTracker } from '../../src/entries/testing/testing.ts';
import { settle, VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import type { Tracker, TrackerEvents } from '../../src/index.ts';
import { answered, ScriptedTransport } from '../bench/scripted-transport.ts';

const ada = { correlationValue: 'ada@example.com' };

/** A host with `waitUntil`. Records each promise that it was given, and whether it has resolved. */
class Host {
  readonly works: { isDone: boolean }[] = [];

  readonly waitUntil = (promise: Promise<unknown>): void => {
    const work = { isDone: false };
    this.works.push(work);
    void promise.then(() => {
      work.isDone = true;
    });
  };
}

interface Bench {
  readonly tracker: Tracker;
  readonly clock: VirtualClock;
  readonly transport: ScriptedTransport;
  readonly failures: TrackerEvents['callbackFailed'][];
}

function create(waitUntil: (work: Promise<unknown>) => void): Bench {
  const clock = new VirtualClock();
  const transport = new ScriptedTransport(clock);
  const tracker = createTracker({
    ...{ baseUrl: 'http://service.example', correlationKey: 'email', journal: 'memory' },
    ...{ clock, transport, random: () => 0.5, waitUntil },
  });
  const failures: TrackerEvents['callbackFailed'][] = [];
  tracker.on('callbackFailed', (failure) => failures.push(failure));
  return { tracker, clock, transport, failures };
}

describe('waitUntil', () => {
  it('is given one promise for a burst, while track() runs, which resolves when all is delivered', async () => {
    const host = new Host();
    const { tracker, clock, transport } = create(host.waitUntil);
    tracker.track('first', {}, ada);
    expect(host.works).toEqual([{ isDone: false }]);
    for (let number = 0; number < 1_000; number += 1) tracker.track('burst', { number }, ada);
    await settle();
    expect(host.works).toEqual([{ isDone: true }]);
    expect(transport.requests.flatMap(({ events }) => events)).toHaveLength(1_001);
    expect(clock.timers).toBe(0);
  });

  it('is given another promise by what is tracked after that', async () => {
    const host = new Host();
    const { tracker } = create(host.waitUntil);
    tracker.track('first', {}, ada);
    await settle();
    tracker.track('second', {}, ada);
    await settle();
    expect(host.works).toEqual([{ isDone: true }, { isDone: true }]);
    expect(tracker.stats()).toMatchObject({ delivered: 2, pending: 0 });
  });

  it('is given another promise by what is tracked meanwhile, so that each resolves under steady traffic', async () => {
    const host = new Host();
    const { tracker, transport } = create(host.waitUntil);
    let answer: (() => void) | undefined;
    transport.respond = () =>
      new Promise((resolve) => {
        answer = () => resolve(answered(200));
      });
    tracker.track('first', {}, ada);
    await settle();
    tracker.track('meanwhile', {}, ada);
    answer?.();
    await settle();
    expect(host.works).toEqual([{ isDone: true }, { isDone: false }]);
    answer?.();
    await settle();
    expect(host.works).toEqual([{ isDone: true }, { isDone: true }]);
    expect(tracker.stats().delivered).toBe(2);
  });

  it('is not given work where nothing is tracked: an event that is invalid, or too late', async () => {
    const host = new Host();
    const { tracker } = create(host.waitUntil);
    tracker.track('', {}, ada);
    await tracker.close();
    tracker.track('too late', {}, ada);
    expect(host.works).toEqual([]);
  });

  it('is not made to wait for a service that is away for longer than a flush would', async () => {
    const host = new Host();
    const { tracker, clock, transport } = create(host.waitUntil);
    transport.respond = () => answered(503, { retryAfter: '3600' });
    tracker.track('kept', {}, ada);
    await clock.advance(30_000);
    expect(host.works).toEqual([{ isDone: true }]);
    expect(tracker.stats()).toMatchObject({ delivered: 0, pending: 1 });
    await tracker.close({ timeoutMs: 0 });
  });

  it.each<[string, (work: Promise<unknown>) => unknown]>([
    [
      'throws',
      () => {
        throw new Error('this host takes no work');
      },
    ],
    ['rejects', () => Promise.reject(new Error('this host takes no work'))],
    ['never returns', () => new Promise(() => {})],
    ['returns nonsense', () => 'work'],
  ])('that %s disturbs nothing, and is reported once if at all', async (name, waitUntil) => {
    const { tracker, failures } = create(waitUntil as (work: Promise<unknown>) => void);
    for (let number = 0; number < 3; number += 1) {
      tracker.track('event', { number }, ada);
      await settle();
    }
    expect(tracker.stats()).toMatchObject({ accepted: 3, delivered: 3, invalid: 0 });
    const failed = [{ callback: 'waitUntil', error: new Error('this host takes no work') }];
    expect(failures).toEqual(name === 'throws' || name === 'rejects' ? failed : []);
    await tracker.close();
  });
});
