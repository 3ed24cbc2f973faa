import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import { createBlame } from '../../src/send/blame.ts';
import { createLimits } from '../../src/send/limits.ts';
import { Trials } from '../../src/send/trials.ts';
import { Contents } from '../../src/wait/contents.ts';
import { Parcel } from '../../src/wait/parcel.ts';
import { Places } from '../../src/wait/places.ts';
import { toEventBytes } from '../bench/event-texts.ts';
import { textWriter } from '../bench/text-writer.ts';

const memory = textWriter.createMemory();

function parcelOf(texts: readonly string[]): Parcel {
  const places = new Places();
  places.push(texts.length);
  return new Parcel(places, 0, false, new Contents(memory, 0).copy(toEventBytes(texts)));
}

function trialsOfNobody(): Trials {
  const waiting = {
    denied: new AbortController().signal,
    cut: () => [],
    divide: () => [],
    end: async () => {},
    expiresInMs: () => undefined,
    putBack: () => {},
  };
  const clock = new VirtualClock();
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
    const trial = trials.of(parcel);
    expect(trials.of(parcel)).toBe(trial);
  });

  it('is another one after some of its events were cut off: these were not refused', () => {
    const trials = trialsOfNobody();
    const parcel = parcelOf(['1', '2', '3']);
    trials.of(parcel).failures = 4;
    parcel.remove({ from: 1, to: 3 });
    expect(trials.of(parcel).failures).toBe(0);
  });

  it('is another one after it was left to the journal, and read again', () => {
    const trials = trialsOfNobody();
    const parcel = parcelOf(['1', '2']);
    trials.of(parcel).failures = 4;
    const { contents } = parcel;
    parcel.store();
    parcel.load(contents.copy(contents.events));
    expect(trials.of(parcel).failures).toBe(0);
  });
});
