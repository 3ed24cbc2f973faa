import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import { createBlame } from '../../src/send/blame.ts';
import { createLimits } from '../../src/send/limits.ts';
import type { ParcelTrial } from '../../src/send/parcel-trial.ts';
import { Trials } from '../../src/send/trials.ts';
import { Contents } from '../../src/wait/contents.ts';
import { Parcel } from '../../src/wait/parcel.ts';
import { Places } from '../../src/wait/places.ts';
import { toEventBytes } from '../bench/event-texts.ts';
import { textWriter } from '../bench/text-writer.ts';

const memory = textWriter.createMemory();
/** Of a consent that stays. */
const GIVEN = new AbortController().signal;

function parcelOf(texts: readonly string[]): Parcel {
  const places = new Places();
  places.push(texts.length);
  return new Parcel(places, 0, false, new Contents(memory, 0).copy(toEventBytes(texts)));
}

function trialsOfNobody(clock: VirtualClock = new VirtualClock(), others: object = {}): Trials {
  const waiting = {
    hasOthers: false,
    cut: () => [],
    divide: () => [],
    end: async () => {},
    expiresInMs: () => undefined,
    putBack: () => {},
    ...others,
  };
  return new Trials({
    ...{ clock, waiting },
    ...{ isOrdered: false, isStrict: false },
    blame: createBlame(clock, false),
    limits: createLimits({ maxEvents: 500, maxBytes: 1_000 }),
  });
}

describe('a parcel that waits again', () => {
  it('is known', () => {
    const trials = trialsOfNobody();
    const parcel = parcelOf(['1', '2']);
    const trial = trials.of(parcel, GIVEN);
    expect(trials.of(parcel, GIVEN)).toBe(trial);
  });

  it('is another one after some of its events were cut off: these were not refused', () => {
    const trials = trialsOfNobody();
    const parcel = parcelOf(['1', '2', '3']);
    trials.of(parcel, GIVEN).failures = 4;
    parcel.remove({ from: 1, to: 3 });
    expect(trials.of(parcel, GIVEN).failures).toBe(0);
  });

  it('is another one after it was left to the journal, and read again', () => {
    const trials = trialsOfNobody();
    const parcel = parcelOf(['1', '2']);
    trials.of(parcel, GIVEN).failures = 4;
    const { contents } = parcel;
    parcel.store();
    parcel.load(contents.copy(contents.events));
    expect(trials.of(parcel, GIVEN).failures).toBe(0);
  });
});

describe('events that wait alone', () => {
  function alone(trials: Trials, text: string, waitMs: number): ParcelTrial {
    const trial = trials.of(parcelOf([text]), GIVEN);
    trial.isAlone = true;
    trials.retry(trial, waitMs);
    return trial;
  }

  it('go in the order of their times, after all others', async () => {
    const clock = new VirtualClock();
    const trials = trialsOfNobody(clock);
    const [late, soon] = [alone(trials, '1', 2_000), alone(trials, '2', 1_000)];
    const other = trials.of(parcelOf(['3', '4']), GIVEN);
    trials.retry(other, 1_500);
    expect(trials.nextAt - clock.now()).toBe(1_000);
    expect(trials.take()).toBeUndefined();
    await clock.advance(3_000);
    expect([trials.take(), trials.take(), trials.take(), trials.take()]).toEqual([
      other,
      soon,
      late,
      undefined,
    ]);
  });

  it('wait as long as the last one, where their storage refuses them as dead letters', () => {
    const clock = new VirtualClock();
    const trials = trialsOfNobody(clock);
    const letter = { status: 400, excerpt: '' };
    for (const [text, waitMs] of Object.entries({ 1: 1_000, 2: 5_000 })) {
      const trial = trials.of(parcelOf([text]), GIVEN);
      Object.assign(trial, { isAlone: true, letter });
      trials.retry(trial, waitMs);
    }
    expect(trials.nextAt - clock.now()).toBe(5_000);
  });

  it('end when they are too old, though others are tried before that', async () => {
    const clock = new VirtualClock();
    const ended: Parcel[] = [];
    let old: Parcel | undefined;
    const trials = trialsOfNobody(clock, {
      expiresInMs: (parcel: Parcel) =>
        parcel === old ? Math.max(0, 2_000 - clock.now() + start) : undefined,
      end: async (parcel: Parcel) => void ended.push(parcel),
    });
    const start = clock.now();
    alone(trials, '1', 5_000);
    old = alone(trials, '2', 9_000).parcel;
    expect(trials.nextAt - start).toBe(2_000);
    await clock.advance(2_000);
    await trials.tidy();
    expect(ended).toEqual([old]);
    expect(trials.events).toBe(1);
  });
});

it.each([
  [0, 'if others wait', true],
  [2, 'if nothing else waits', false],
])('%d of those that failed stay apart after several pauses %s', (staying, _, hasOthers) => {
  const back: Parcel[] = [];
  const trials = trialsOfNobody(undefined, { hasOthers, putBack: (parcel: Parcel) => back.push(parcel) });
  trials.resume();
  for (const text of ['1', '2', '3']) trials.retry(trials.of(parcelOf([text]), GIVEN), 0);
  trials.resume();
  expect([trials.count, back.length]).toEqual([staying, 3 - staying]);
});

it('those that went back to the queue while others ended are not ended here', async () => {
  const ended: Parcel[] = [];
  const trials = trialsOfNobody(undefined, {
    hasOthers: true,
    expiresInMs: () => 0,
    end: async (parcel: Parcel) => {
      ended.push(parcel);
      trials.resume();
    },
  });
  for (const text of ['1', '2', '3']) trials.retry(trials.of(parcelOf([text]), GIVEN), 0);
  await trials.tidy();
  expect(ended).toHaveLength(1);
});
