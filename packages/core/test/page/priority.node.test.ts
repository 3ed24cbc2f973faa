import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/send/http/transport.ts';
import { watch } from '../bench/bench.ts';
import { FakeOrigin, type FakeTab } from '../bench/fake-origin.ts';
import { answered } from '../bench/scripted-transport.ts';

const HOUR = 60 * 60_000;

let origin: FakeOrigin;
/** The numbers of the events of each request. */
let requests: number[][];
let respond: () => Outcome | Promise<Outcome>;

beforeEach(() => {
  origin = new FakeOrigin();
  requests = [];
  respond = () => answered(200);
  origin.respond = (_, { body }) => {
    const { batch } = JSON.parse(new TextDecoder().decode(body));
    requests.push(batch.map(({ payload }: { payload: { number: number } }) => payload.number));
    return respond();
  };
});

afterEach(() => origin.close());

describe('an event of high priority in a page', () => {
  const late = { batch: { maxWaitMs: HOUR } };
  const track = ({ tracker }: FakeTab, number: number, priority: 'high' | undefined = undefined) =>
    tracker.track('event', { number }, { ...(priority && { priority }) });

  it('is written and sent at once, and before the others that wait', async () => {
    const tab = origin.openTab({ ...late, commitIntervalMs: HOUR });
    await origin.pass(50);
    for (const number of [0, 1]) track(tab, number);
    track(tab, 2, 'high');
    await origin.pass(1);
    expect(requests).toEqual([[2, 0, 1]]);
    expect(tab.tracker.stats()).toMatchObject({ delivered: 3, pending: 0 });
  });

  it('is sent before older events of normal priority', async () => {
    let open = () => {};
    const opened = new Promise<Outcome>((resolve) => (open = () => resolve(answered(200))));
    respond = () => opened;
    const tab = origin.openTab({ batch: { maxWaitMs: 10, maxEvents: 2 } });
    for (const number of [0, 1]) track(tab, number);
    await origin.pass(400, 10);
    expect(requests).toHaveLength(1);
    for (const number of [2, 3]) track(tab, number);
    await origin.pass(400, 10);
    track(tab, 4, 'high');
    await origin.pass(1);
    open();
    await origin.pass(100);
    expect(requests).toEqual([[0, 1], [4], [2, 3]]);
  });

  it('is sent at once behind all events before it where order is strict', async () => {
    const tab = origin.openTab({ ...late, ordering: 'strict' });
    await origin.pass(50);
    for (const number of [0, 1, 2]) track(tab, number);
    track(tab, 3, 'high');
    track(tab, 4);
    await origin.pass(10);
    expect(requests.flat().slice(0, 4)).toEqual([0, 1, 2, 3]);
  });

  it('does not keep flush() from waiting for the others', async () => {
    const tab = origin.openTab(late);
    await origin.pass(50);
    for (const number of [0, 1, 2]) track(tab, number);
    track(tab, 3, 'high');
    const flushed = watch(tab.tracker.flush());
    await origin.pass(100);
    expect(flushed.value).toMatchObject({ delivered: 4, pending: 0 });
  });
});

describe('a new event in a page', () => {
  it('takes turns with what an outage left', async () => {
    respond = () => answered(503);
    const { tracker } = origin.openTab({ batch: { maxWaitMs: 10, maxEvents: 10 }, logger: false });
    for (let number = 1; number <= 400; number += 1) tracker.track('event', { number });
    await origin.pass(5_000, 50);
    requests = [];
    respond = () => new Promise((resolve) => void origin.clock.setTimeout(() => resolve(answered(200)), 100));
    for (let waits = 0; waits < 3_000 && requests.length < 5; waits += 1) await origin.pass(50);
    tracker.track('event', { number: 401 });
    await origin.pass(5_000, 50);
    expect(requests.flat()).toHaveLength(401);
    expect(requests.findIndex((numbers) => numbers.includes(401))).toBeLessThan(20);
  });
});
