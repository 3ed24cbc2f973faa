import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acknowledgementRecord } from '../../../../src/keep/file/format/acknowledgements.ts';
import { MOST_RUNS } from '../../../../src/keep/file/format/index-set.ts';
import { writeHeader } from '../../../../src/keep/file/format/segment-header.ts';
import { FailingFileSystem } from '../../../bench/failing-file-system.ts';
import { readAll } from '../../../contracts/journal-contract.ts';
import { framesOf, SEGMENT } from '../frames.ts';
import { Place } from '../place.ts';

const ORIGIN = 'a'.repeat(16);

let place: Place;
beforeEach(async () => {
  place = await Place.create();
});
afterEach(() => place.remove());

/** Leaves a segment with these frames and these records of what is released. */
async function leave(frames: readonly Buffer[], records: readonly Buffer[] = []): Promise<void> {
  const directory = join(place.directory, `${ORIGIN}.${ORIGIN}`);
  await mkdir(directory);
  const segment = Buffer.concat([writeHeader({ first: 0, ...SEGMENT }), ...frames]);
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

describe('a segment in more pieces than damage makes', () => {
  it('gives the events of a bounded number of pieces, and is kept aside with the rest', async () => {
    await leave(Array.from({ length: MOST_RUNS + 100 }, (_, number) => framesOf(['1'], 2 * number)));
    const { journal, witness } = await place.open();
    expect(await readAll(journal, witness.ranges.slice(0, 3))).toEqual(['1', '1', '1']);
    expect([witness.ranges.length, witness.damages.length]).toEqual([MOST_RUNS, 1]);
    for (const range of witness.ranges) await journal.acknowledge(range);
    expect([(await place.files('.segment')).length, (await place.files('.damaged')).length]).toEqual([0, 1]);
  });

  it('is told of in several turns of the event loop', async () => {
    await leave(Array.from({ length: MOST_RUNS }, (_, number) => framesOf(['1'], 2 * number)));
    const turn = new Turn();
    const recovered = () => turn.add();
    await place.create().open({ recovered, damaged: () => {}, failed: () => {} });
    turn.stop();
    expect(turn.most).toBeLessThanOrEqual(512);
  });

  it('gives some events again where too many single ones are released, and loses none', async () => {
    const count = 2 * MOST_RUNS + 200;
    const odd = Array.from({ length: count / 2 }, (_, number) => count - 1 - 2 * number);
    const records = odd.map((index) => acknowledgementRecord(SEGMENT.id, index, index + 1));
    await leave([framesOf(Array(count).fill('1'))], records);
    const { witness } = await place.open();
    expect(witness.ranges).toHaveLength(MOST_RUNS);
    expect(witness.ranges[0]).toEqual({ segment: 1, from: 0, to: 201 });
  });
});
