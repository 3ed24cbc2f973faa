import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Range, rangeLength } from '../../../../src/base/range.ts';
import { Released } from '../../../../src/keep/file/format/released.ts';
import { SegmentHeader } from '../../../../src/keep/file/format/segment-header.ts';
import { toTexts } from '../../../bench/event-texts.ts';
import { FailingFileSystem } from '../../../bench/failing-file-system.ts';
import { Witness } from '../../../contracts/journal-contract.ts';
import { framesOf, numbered, SEGMENT } from '../frames.ts';
import { type Life, MortalLocks, Place } from '../place.ts';

const ORIGIN = 'a'.repeat(16);

let place: Place;
beforeEach(async () => {
  place = await Place.create();
});
afterEach(() => place.remove());

/** Leaves a segment with these frames and these records of what is released. */
async function leave(
  frames: readonly Buffer[],
  records: readonly Buffer[] = [],
  origin: string = ORIGIN,
): Promise<void> {
  const directory = join(place.directory, `${origin}.${origin}`);
  await mkdir(directory);
  const segment = Buffer.concat([new SegmentHeader(0, SEGMENT.baseTime, SEGMENT.id).bytes, ...frames]);
  await writeFile(join(directory, '00000001.segment'), segment, { mode: 0o600 });
  await writeFile(join(directory, '00000001.acks'), Buffer.concat(records), { mode: 0o600 });
}

/** Counts what happens between two turns of the event loop, and remembers the most. */
class Turn {
  most = 0;
  #count = 0;
  #next: NodeJS.Immediate = setImmediate(() => this.#turn());

  add(count = 1): void {
    this.#count += count;
    this.most = Math.max(this.most, this.#count);
  }

  stop(): void {
    clearImmediate(this.#next);
  }

  #turn(): void {
    this.#count = 0;
    this.#next = setImmediate(() => this.#turn());
  }
}

describe('a segment of many small events', () => {
  it('gives some of them in one turn of the event loop, however many are asked for', async () => {
    const count = 30_000;
    await leave([framesOf(Array(count).fill('1'))]);
    const fs = new FailingFileSystem();
    const { journal, witness } = await place.open({ fs });
    const [range = expect.fail()] = witness.ranges;
    for (const maxEvents of [Number.POSITIVE_INFINITY, 1]) {
      const [events, reads] = [new Turn(), new Turn()];
      for (let from = 0; from < count; ) {
        const reading = await journal.read({ ...range, from }, { maxEvents, maxBytes: 512 * 1024 });
        events.add(reading.events.ends.length);
        reads.add();
        from = reading.range.to;
      }
      events.stop();
      reads.stop();
      expect([events.most <= 8_192, reads.most <= 16]).toEqual([true, true]);
    }
    expect(Math.max(...fs.calls.map(({ bytes }) => bytes))).toBeLessThanOrEqual(1024 * 1024);
  });
});

/** Frames of these events, numbered from 0. The second of each two is damaged. */
function everyOther(texts: readonly string[]): Buffer[] {
  return texts.map((text, index) => {
    const frame = framesOf([text], index);
    return index % 2 === 1 ? frame.fill(0, frame.length - 1) : frame;
  });
}

/** Reads all that a journal told of, and releases it. */
async function deliver(
  { journal, witness }: Life,
  ranges: readonly Range[] = witness.ranges,
): Promise<string[]> {
  const texts: string[] = [];
  for (const range of ranges)
    for (let { from } = range; from < range.to; ) {
      const reading = await journal.read({ ...range, from }, { maxEvents: 500, maxBytes: 1e6 });
      texts.push(...toTexts(reading.events));
      await journal.acknowledge(reading.range);
      from = reading.range.to;
    }
  return texts;
}

const isEven = (_: unknown, index: number) => index % 2 === 0;

describe('a segment in two pieces', () => {
  it('gives one event to whoever asks for one, whatever its size', async () => {
    const [first = expect.fail(), ...others] = numbered(0, 5).map((text, index) => framesOf([text], index));
    await leave([first.fill(0, first.length - 1), ...others]);
    const { journal, witness } = await place.open();
    const [range = expect.fail()] = witness.ranges;
    const { events, range: read } = await journal.read(range, { maxEvents: 1, maxBytes: 0 });
    expect(toTexts(events)).toEqual(numbered(1, 1));
    expect(rangeLength(read)).toBe(1);
  });
});

describe('a segment in many pieces', () => {
  const COUNT = 10_000;
  const TEXTS = numbered(0, COUNT);
  const LEFT = TEXTS.filter(isEven);

  it('gives all that is intact, tells of few ranges, and is kept aside', async () => {
    await leave(everyOther(TEXTS));
    const life = await place.open();
    expect([life.witness.ranges.length < 100, life.witness.damages.length]).toEqual([true, 1]);
    expect(await deliver(life)).toEqual(LEFT);
    expect([(await place.files('.segment')).length, (await place.files('.damaged')).length]).toEqual([0, 1]);
  });

  it('gives all that is intact in whatever order it lies in the file, each event once', async () => {
    const frames = TEXTS.map((text, index) => framesOf([text], index)).reverse();
    await leave(
      frames.flatMap((frame, index) => (index % 3 === 0 ? [frame, frame.subarray(1), frame] : [frame])),
    );
    const life = await place.open();
    expect(life.witness.ranges).toHaveLength(1);
    expect(await deliver(life)).toEqual(TEXTS);
  });

  it('gives all that is intact where its header is damaged too', async () => {
    await leave([Buffer.from('damage'), ...everyOther(TEXTS)]);
    const path = await place.theSegment();
    await writeFile(path, (await readFile(path)).fill(0, 0, 8));
    const life = await place.open();
    expect(await deliver(life)).toEqual(LEFT);
  });

  it('keeps the time of each event', async () => {
    await leave(everyOther(TEXTS));
    const { journal, witness } = await place.open();
    for (const range of witness.ranges.slice(0, 3)) {
      const { events } = await journal.read(range, { maxEvents: 3, maxBytes: 1e6 });
      expect([...(events.times ?? [])]).toEqual([0]);
    }
  });

  it('gives what is not released, where much of it is', async () => {
    const released = Array.from({ length: 500 }, (_, number) => ({ from: 2 * number, to: 2 * number + 1 }));
    await leave([framesOf(TEXTS)], [Released.records(SEGMENT.id, released)]);
    const life = await place.open();
    expect(await deliver(life)).toEqual(TEXTS.filter((_, index) => index >= 1_000 || index % 2 === 1));
    expect(await place.files('.damaged')).toEqual([]);
  });

  it('gives some events again where too many single ones are released, and loses none', async () => {
    const odd = Array.from({ length: COUNT / 2 }, (_, number) => COUNT - 1 - 2 * number);
    const released = odd.map((index) => ({ from: index, to: index + 1 }));
    await leave([framesOf(TEXTS)], [Released.records(SEGMENT.id, released)]);
    const life = await place.open();
    const events = await deliver(life);
    expect(events).toHaveLength(COUNT - 4_096);
    const given = new Set(events);
    expect(LEFT.every((text) => given.has(text))).toBe(true);
  });

  it('loses nothing and doubles nothing, wherever the process ends meanwhile', async () => {
    const texts = numbered(0, 300);
    for (let calls = 0; ; calls += 1) {
      await leave(everyOther(texts));
      const locks = new MortalLocks();
      const fs = new FailingFileSystem();
      fs.dieAfter(calls);
      const journal = place.create({ fs, locks });
      const witness = new Witness();
      await journal.open(witness).catch(() => undefined);
      locks.killAll();
      const life = await place.open({ locks });
      expect(await deliver(life), `${calls} calls`).toEqual(texts.filter(isEven));
      await life.journal.close();
      if (witness.ranges.length > 0) break;
      await place.remove();
      place = await Place.create();
    }
  });
});

describe('a segment in many pieces, whose end hides that', () => {
  const COUNT = 10_000;
  const TEXTS = numbered(0, COUNT);
  const END = numbered(COUNT, 1_000, 'p'.repeat(100));
  const LEFT = [...TEXTS.filter(isEven), ...END];

  beforeEach(() => leave([...everyOther(TEXTS), framesOf(END, COUNT)]));

  it('gives all that is intact', async () => {
    const life = await place.open();
    expect([life.witness.ranges.length, life.witness.damages]).toEqual([1, []]);
    expect(await deliver(life)).toEqual(LEFT);
    expect(life.witness.damages).toHaveLength(1);
    expect([(await place.files('.segment')).length, (await place.files('.damaged')).length]).toEqual([0, 1]);
  });

  it('tells which of the events are missing that it told of', async () => {
    const life = await place.open();
    await deliver(life);
    const { settlements } = life.witness;
    const missing = settlements.reduce((sum, { range }) => sum + rangeLength(range), 0);
    expect(missing).toBe(COUNT / 2);
    expect(settlements.every(({ fate, range }) => fate === 'damaged' && rangeLength(range) === 1)).toBe(true);
  });

  it('gives the rest to the next process', async () => {
    const life = await place.open();
    const [range = expect.fail()] = life.witness.ranges;
    const first = await deliver(life, [{ ...range, to: COUNT / 2 }]);
    await life.journal.close();
    const next = await place.open();
    expect([...first, ...(await deliver(next))]).toEqual(LEFT);
    expect(await place.files('.segment')).toEqual([]);
  });

  it('gives all that is intact in whatever order it lies in the file', async () => {
    await place.remove();
    place = await Place.create();
    const frames = TEXTS.map((text, index) => framesOf([text], index));
    const swapped = frames.map((frame, index) => frames[index % 2 === 0 ? index + 1 : index - 1] ?? frame);
    await leave([...swapped, framesOf(END, COUNT)]);
    const life = await place.open();
    expect(await deliver(life)).toEqual([...TEXTS, ...END]);
    expect(life.witness.settlements).toEqual([]);
  });

  it('books no more events as missing than its file has room for', async () => {
    await place.remove();
    place = await Place.create();
    const jumps = Array.from({ length: 2_000 }, (_, number) => framesOf(['1'], number * 2_000_000));
    await leave([...jumps, framesOf(END, 2 ** 32 - 2_000)]);
    const life = await place.open();
    expect(life.witness.ranges.reduce((sum, range) => sum + rangeLength(range), 0)).toBeLessThan(4_000);
  });
});

describe('many segments in some pieces', () => {
  it('are told of in several turns of the event loop', async () => {
    for (let number = 1; number <= 20; number += 1)
      await leave(everyOther(numbered(0, 100)), [], number.toString(16).padStart(16, '0'));
    const turn = new Turn();
    let told = 0;
    const recovered = () => {
      told += 1;
      turn.add();
    };
    await place.create().open({ recovered, damaged: () => {}, failed: () => {} });
    turn.stop();
    expect([told, turn.most <= 512]).toEqual([1_000, true]);
  });
});
