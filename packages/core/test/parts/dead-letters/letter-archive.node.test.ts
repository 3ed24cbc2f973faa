import { describe, expect, it } from 'vitest';
import { encodeEvents, NO_EVENTS } from '../../../src/base/event-bytes.ts';
import { settle, VirtualClock } from '../../../src/entries/testing/virtual-clock.ts';
import { readLetter, writeLetter } from '../../../src/parts/dead-letters/dead-letter.ts';
import { LetterArchive } from '../../../src/parts/dead-letters/letter-archive.ts';
import type { ShelfOptions } from '../../../src/parts/shelf.ts';
import { Books } from '../../../src/tell/books.ts';
import { Reporter } from '../../../src/tell/reporter.ts';
import type { Parcel } from '../../../src/wait/parcel.ts';
import { createBatch } from '../../bench/batch.ts';
import { toEventBytes } from '../../bench/event-texts.ts';
import { FakeJournal } from '../../bench/fake-journal.ts';
import { SegmentedJournal } from '../../bench/segmented-journal.ts';

const HOUR = 60 * 60_000;
const REFUSAL = { status: 400, excerpt: '' };
const NOW = Date.UTC(2026, 10, 21, 10, 15, 30);

function single(text: string): Parcel {
  return createBatch(toEventBytes([text]), { segment: 1, from: 0, to: 1 });
}

/** The events of all letters, in order, as they are read together. */
async function pages(
  letters: LetterArchive,
  limit = { maxEvents: 100, maxBytes: 10_000 },
): Promise<unknown[][]> {
  const found: unknown[][] = [];
  const events = async (stored: readonly { text: string }[]) =>
    stored.map(({ text }) => readLetter(text)?.letter.event);
  for await (const page of letters.visit(limit, events)) found.push(page);
  return found;
}

async function read(letters: LetterArchive): Promise<unknown[]> {
  return (await pages(letters)).flat();
}

function reporterThatCounts(): Reporter {
  return new Reporter(new Books(), new VirtualClock(NOW));
}

function createArchive(options: Partial<ShelfOptions>): LetterArchive {
  return new LetterArchive({
    journal: new FakeJournal(),
    clock: new VirtualClock(NOW),
    maxBytes: Number.POSITIVE_INFINITY,
    maxAgeMs: Number.POSITIVE_INFINITY,
    reporter: reporterThatCounts(),
    ...options,
  });
}

function createBench(options: Partial<ShelfOptions> = {}): { letters: LetterArchive; journal: FakeJournal } {
  const journal = new FakeJournal();
  return { letters: createArchive({ journal, ...options }), journal };
}

describe('LetterArchive', () => {
  it('keeps the event, when it was refused, and what the service said', async () => {
    const { letters, journal } = createBench();
    await letters.keep(single('{"event":"a","payload":{"n":1.0}}'), { status: 422, excerpt: 'no "email"' });
    const [letter = ''] = journal.texts;
    expect(letter.replace(/"id":"[0-9a-f-]{36}"/, '"id":""')).toBe(
      '{"id":"","at":"2026-11-21T10:15:30.000Z","status":422,"excerpt":"no \\"email\\"","event":{"event":"a","payload":{"n":1.0}}}',
    );
  });

  it('keeps the bytes of the event as they are, whatever the service said', async () => {
    const { letters, journal } = createBench();
    const text = '{"event":"é€😀\\ud800","n":1e400}';
    for (const excerpt of ['', '"},{', '\ud800', '\0', '<html>é</html>']) {
      await letters.keep(single(text), { status: 400, excerpt });
    }
    expect(journal.texts).toHaveLength(5);
    for (const letter of journal.texts) {
      expect(letter.endsWith(`,"event":${text}}`)).toBe(true);
      expect(JSON.parse(letter)).toMatchObject({ status: 400, event: { event: 'é€😀\ud800' } });
    }
  });

  it('keeps the start alone of a long answer', async () => {
    const { letters, journal } = createBench();
    await letters.keep(single('{}'), { status: 400, excerpt: 'x'.repeat(100_000) });
    expect(JSON.parse(journal.texts[0] ?? '').excerpt).toBe('x'.repeat(1_024));
  });

  it('releases nothing that turns out to be another tracker’s while it is read', async () => {
    const { letters, journal } = createBench();
    await letters.keep(single('{"event":"a"}'), REFUSAL);
    const [range] = letters.kept.ranges;
    const { read: before } = journal;
    journal.read = async (asked, limit) => {
      if (range) journal.observer?.settled?.(range, 'delivered');
      return { ...(await before.call(journal, asked, limit)), events: NO_EVENTS };
    };
    expect(await read(letters)).toEqual([]);
    expect(journal.acknowledged).toEqual([]);
  });

  it('opens no journal before the first letter, and one for all', async () => {
    const { letters, journal } = createBench();
    expect(journal.calls).toEqual([]);
    await Promise.all([1, 2, 3].map((n) => letters.keep(single(`${n}`), REFUSAL)));
    expect(journal.calls.filter((call) => call === 'open')).toHaveLength(1);
    expect(journal.texts.map((text) => JSON.parse(text).event)).toEqual([1, 2, 3]);
    expect(journal.mostAppendsAtOnce).toBe(1);
  });

  it('has a letter only once it would survive a power cut', async () => {
    const { letters, journal } = createBench();
    await letters.keep(single('1'), REFUSAL);
    expect(journal.calls).toEqual(['open', 'append', 'sync']);
  });

  it('rejects where the letter cannot be kept, and goes on with the next', async () => {
    const { letters, journal } = createBench();
    await letters.keep(single('1'), REFUSAL);
    journal.failAppends = true;
    const failed = letters.keep(single('2'), REFUSAL);
    await expect(failed).rejects.toThrow('scripted');
    journal.failAppends = false;
    await letters.keep(single('3'), REFUSAL);
    expect(journal.calls.filter((call) => call === 'open')).toHaveLength(1);
    expect(journal.texts.map((text) => JSON.parse(text).event)).toEqual([1, 3]);
  });

  it('rejects where its journal cannot be opened, and tries again with the next letter', async () => {
    const { letters, journal } = createBench();
    journal.failOpen = true;
    await expect(letters.keep(single('1'), REFUSAL)).rejects.toThrow('scripted');
    journal.failOpen = false;
    await letters.keep(single('2'), REFUSAL);
    expect(journal.texts).toHaveLength(1);
  });

  it('closes its journal once all that was to be kept is kept', async () => {
    const { letters, journal } = createBench();
    await letters.keep(single('1'), REFUSAL);
    const release = journal.hangAppends();
    const kept = letters.keep(single('2'), REFUSAL);
    const closed = letters.close();
    await settle();
    expect(journal.calls).not.toContain('close');
    release();
    await Promise.all([kept, closed]);
    expect(journal.texts).toHaveLength(2);
    expect(journal.calls.at(-1)).toBe('close');
  });

  it('closes at once where it kept nothing', async () => {
    const { letters, journal } = createBench();
    await letters.close();
    expect(journal.calls).toEqual(['close']);
  });

  it('keeps no letter that may not survive a power cut, since its event comes again', async () => {
    const { letters, journal } = createBench();
    await letters.keep(single('1'), REFUSAL);
    const { sync } = journal;
    journal.sync = () => Promise.reject(new Error('no sync'));
    await expect(letters.keep(single('2'), REFUSAL)).rejects.toThrow('no sync');
    journal.sync = sync;
    await letters.keep(single('2'), REFUSAL);
    expect(letters.kept.count).toBe(2);
    expect(journal.acknowledged).toMatchObject([{ from: 1, to: 2 }]);
  });

  it('passes over what cannot be read back, and counts it no more', async () => {
    const { letters, journal } = createBench();
    for (let n = 0; n < 5; n += 1) await letters.keep(single(`${n}`), REFUSAL);
    journal.damage({ segment: 1, from: 1, to: 3 });
    expect(await read(letters)).toEqual([0, 3, 4]);
    expect(letters.kept.count).toBe(3);
    expect(journal.acknowledged).toEqual([{ segment: 1, from: 1, to: 3 }]);
  });

  it('rejects where storage fails, and has what it had once that works', async () => {
    const { letters, journal } = createBench();
    await letters.keep(single('1'), REFUSAL);
    journal.failReads = true;
    await expect(read(letters)).rejects.toThrow('scripted');
    journal.failReads = false;
    expect(await read(letters)).toEqual([1]);
    journal.failAcknowledgements = true;
    await expect(letters.clear('delivered')).rejects.toThrow('scripted');
    journal.failAcknowledgements = false;
    expect(await letters.clear('delivered')).toBe(1);
    expect(letters.kept.count).toBe(0);
  });

  it('reads so many at once as it is told, and one alone that is larger', async () => {
    const { letters } = createBench();
    const texts = ['1', '2', '3', '4', `"${'x'.repeat(2_000)}"`, '6', '7'];
    for (const text of texts) await letters.keep(single(text), REFUSAL);
    const read = await pages(letters, { maxEvents: 3, maxBytes: 1_000 });
    expect(read.map(({ length }) => length)).toEqual([3, 1, 1, 2]);
  });

  it('takes on what a process leaves that dies later, in its order and within the bounds', async () => {
    const journal = new SegmentedJournal();
    const clock = new VirtualClock(NOW);
    const dropped: number[] = [];
    const reporter = reporterThatCounts();
    reporter.on('deadLettersDropped', ({ count }) => dropped.push(count));
    const letters = createArchive({
      ...{ journal, clock, maxBytes: 2_000, maxAgeMs: 10 * HOUR },
      reporter,
    });
    await letters.keep(single('"young"'), REFUSAL);
    for (const at of [NOW - 2 * HOUR, NOW - 20 * HOUR, NOW - 3 * HOUR]) {
      const text = writeLetter(new TextEncoder().encode(`"${NOW - at}"`), REFUSAL, at);
      journal.observer?.recovered(await journal.append(encodeEvents([text], [at])));
    }
    expect(letters.kept.count).toBe(4);
    await clock.advance(HOUR);
    expect(await read(letters)).toEqual([`${3 * HOUR}`, `${2 * HOUR}`, 'young']);
    expect(dropped).toEqual([1]);
  });

  it('sets no timer where it keeps nothing, and none any more once it is closed', async () => {
    const clock = new VirtualClock(NOW);
    const { letters } = createBench({ clock });
    expect(await read(letters)).toEqual([]);
    expect(clock.timers).toBe(0);
    await letters.keep(single('1'), REFUSAL);
    expect(clock.timers).toBe(1);
    await letters.clear('delivered');
    await clock.advance(HOUR);
    expect(clock.timers).toBe(0);
    await letters.keep(single('1'), REFUSAL);
    await letters.close();
    expect(clock.timers).toBe(0);
  });
});
