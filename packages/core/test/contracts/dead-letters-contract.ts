import type { Clock } from '@sluice/protocol/toolbox';
import { afterEach, describe, expect, it } from 'vitest';
import type { EventBytes } from '../../src/base/event-bytes.ts';
import { settle, VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import type { Journal } from '../../src/keep/journal.ts';
import type { DeadLetter, DeadLetterFilter } from '../../src/parts/dead-letters/dead-letter.ts';
import type { DeadLetters } from '../../src/parts/dead-letters/dead-letters.ts';
import { LetterArchive } from '../../src/parts/dead-letters/letter-archive.ts';
import { Books } from '../../src/tell/books.ts';
import { Reporter } from '../../src/tell/reporter.ts';
import { createBatch } from '../bench/batch.ts';
import { toEventBytes, toTexts } from '../bench/event-texts.ts';
import { SkewedClock } from '../bench/skewed-clock.ts';

const KIB = 1024;
const HOUR = 60 * 60_000;
const NOW = Date.UTC(2026, 10, 21, 10, 15, 30);
const pad = 'é'.repeat(100);

/** How the suite makes journals of one implementation. */
export interface DeadLettersSubject {
  /** Makes a journal in the place called `name`. A second one in the same place stands for the next process. */
  create(name: string, clock: Clock, maxBytes: number): Journal;
  /** Whether the next process finds what this one left. */
  readonly survives: boolean;
}

interface Bounds {
  readonly maxBytes?: number;
  readonly maxAgeMs?: number;
}

/** The dead letters of one process in a place. Records its replays. */
class Life {
  readonly clock: VirtualClock;
  /** The clock that the store sees. */
  readonly timeOfDay: SkewedClock;
  readonly dropped: { reason: string; count: number }[] = [];
  readonly failures: unknown[] = [];
  readonly replayed: string[] = [];
  readonly times: number[] = [];
  readonly store: LetterArchive;
  readonly letters: DeadLetters;
  roadWorks = true;

  constructor(subject: DeadLettersSubject, place: string, clock: VirtualClock, bounds: Bounds) {
    const { maxBytes = 1024 * KIB, maxAgeMs = 24 * HOUR } = bounds;
    this.clock = clock;
    this.timeOfDay = new SkewedClock(clock);
    const reporter = new Reporter(new Books(), clock);
    reporter.on('deadLettersDropped', (detail) => this.dropped.push(detail));
    reporter.on('storageFailed', ({ error }) => this.failures.push(error));
    const journal = subject.create(place, this.timeOfDay, maxBytes);
    this.store = new LetterArchive({
      ...{ journal, clock: this.timeOfDay, maxBytes, maxAgeMs, reporter },
    });
    this.letters = this.store.deadLetters(
      { groupLimit: { maxEvents: 50, maxBytes: 16 * KIB } },
      { replay: (events, count) => this.#replay(events).then(count) },
      () => {},
    );
  }

  /** Keeps numbered events, one every `everyMs` milliseconds. */
  async keep(from: number, to: number, everyMs = 1): Promise<void> {
    for (let n = from; n < to; n += 1) {
      const batch = createBatch(toEventBytes([text(n)]), { segment: 1, from: 0, to: 1 });
      await this.store.keep(batch, { status: 400 + (n % 2) * 22, excerpt: `no ${n}, ",event":` });
      await this.clock.advance(everyMs);
    }
  }

  /** The numbers of the events of all letters, in the order of the list. */
  async numbers(filter?: DeadLetterFilter): Promise<unknown[]> {
    return (await this.all(filter)).map(({ event }) => event.n);
  }

  async all(filter?: DeadLetterFilter): Promise<DeadLetter[]> {
    return collect(this.letters.list(filter));
  }

  droppedFor(reason: string): number {
    return this.dropped.reduce((sum, entry) => sum + (entry.reason === reason ? entry.count : 0), 0);
  }

  /** Lets hours pass, and the work that begins in each of them finish. */
  async pass(hours: number): Promise<void> {
    for (let half = 0; half < 2 * hours; half += 1) {
      await this.clock.advance(HOUR / 2);
      await this.letters.count();
    }
  }

  async close(): Promise<void> {
    await this.store.close();
  }

  async #replay(events: EventBytes): Promise<void> {
    await settle();
    if (!this.roadWorks) throw new Error('the road is closed');
    this.replayed.push(...toTexts(events));
    this.times.push(...(events.times ?? []));
  }
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function text(n: number): string {
  // Not the text that JSON.stringify would make: a replay must not serialise it again.
  return `{"n":${n}, "exact":1.0e2,"big":12345678901234567890,"pad":"${pad}\\u20ac"}`;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

const isEven = ({ event }: DeadLetter): boolean => Number(event.n) % 2 === 0;

/** What must hold for dead letters in every journal. */
export function describeDeadLetters(name: string, subject: DeadLettersSubject): void {
  describe(`dead letters in ${name}`, () => {
    const lives: Life[] = [];
    let places = 0;

    function newPlace(): string {
      places += 1;
      return `letters-${places}-${Math.random().toString(36).slice(2)}`;
    }

    function start(place = newPlace(), bounds: Bounds = {}, clock = new VirtualClock(NOW)): Life {
      const life = new Life(subject, place, clock, bounds);
      lives.push(life);
      return life;
    }

    afterEach(async () => {
      for (const life of lives.splice(0)) await life.close();
    });

    it('finds nothing where nothing was', async () => {
      const { letters } = start();
      expect(await letters.count()).toBe(0);
      expect(await collect(letters.list())).toEqual([]);
      expect(await letters.replay()).toBe(0);
      expect(await letters.purge()).toBe(0);
    });

    it('lists each letter with its reason and its event, oldest first', async () => {
      const life = start();
      await life.keep(0, 120);
      const letters = await life.all();
      expect(letters.map(({ event }) => event.n)).toEqual(range(0, 120));
      expect(letters[1]).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        at: '2026-11-21T10:15:30.001Z',
        status: 422,
        excerpt: 'no 1, ",event":',
        event: JSON.parse(text(1)),
      });
      expect(new Set(letters.map(({ id }) => id)).size).toBe(120);
      expect(await life.letters.count()).toBe(120);
      expect(life.letters.bytes).toBeGreaterThan(120 * text(0).length);
    });

    it('finds those that are asked for, by id or by a function', async () => {
      const life = start();
      await life.keep(0, 60);
      const ids = (await life.all())
        .filter(({ event }) => event.n === 7 || event.n === 55)
        .map(({ id }) => id);
      expect(await life.numbers([...ids, 'none has this'])).toEqual([7, 55]);
      expect(await life.numbers([])).toEqual([]);
      expect(await life.numbers(({ status }) => status === 422)).toHaveLength(30);
    });

    it('deletes those that are asked for, and no other', async () => {
      const life = start();
      await life.keep(0, 130);
      const ids = (await life.all()).map(({ id }) => id);
      expect(await life.letters.purge([ids[3] ?? '', ids[100] ?? ''])).toBe(2);
      expect(await life.letters.purge(isEven)).toBe(64);
      const odd = range(0, 130).filter((n) => n % 2 === 1 && n !== 3);
      expect(await life.numbers()).toEqual(odd);
      expect(await life.letters.count()).toBe(odd.length);
      expect(await life.letters.purge([ids[3] ?? ''])).toBe(0);
      expect(await life.letters.purge()).toBe(odd.length);
      expect([await life.letters.count(), life.letters.bytes]).toEqual([0, 0]);
    });

    it('sends the bytes of the events again, as of now, and then has the letters no more', async () => {
      const life = start();
      await life.keep(0, 130);
      expect(await life.letters.replay(isEven)).toBe(65);
      expect(life.replayed).toEqual(
        range(0, 130)
          .filter((n) => n % 2 === 0)
          .map(text),
      );
      expect(new Set(life.times)).toEqual(new Set([life.clock.now()]));
      expect(await life.letters.replay()).toBe(65);
      expect(life.replayed).toHaveLength(130);
      expect([await life.letters.count(), life.letters.bytes]).toEqual([0, 0]);
    });

    it('keeps all letters where they cannot be sent again', async () => {
      const life = start();
      await life.keep(0, 60);
      life.roadWorks = false;
      await expect(life.letters.replay()).rejects.toThrow('the road is closed');
      expect(await life.numbers()).toEqual(range(0, 60));
      life.roadWorks = true;
      expect(await life.letters.replay()).toBe(60);
      expect(life.replayed).toEqual(range(0, 60).map(text));
    });

    it.each(['list', 'replay', 'purge'] as const)(
      'rejects what is no filter, and what a filter throws, and loses nothing: %s',
      async (method) => {
        const life = start();
        await life.keep(0, 5);
        const call = async (filter: unknown): Promise<unknown> => {
          const result: unknown = Reflect.apply(life.letters[method], life.letters, [filter]);
          return method === 'list' ? collect(result as AsyncIterable<unknown>) : result;
        };
        for (const filter of [null, 7, 'an id', {}, [7], [undefined], new Set()]) {
          await expect(call(filter)).rejects.toMatchObject({ code: 'SLUICE_CONFIG', option: 'filter' });
        }
        // A promise is not an answer, and must be refused.
        for (const answer of [undefined, 1, Promise.resolve(false)]) {
          await expect(call(() => answer)).rejects.toMatchObject({ code: 'SLUICE_CONFIG' });
        }
        const failing = () => {
          throw new Error('of the user');
        };
        await expect(call(failing)).rejects.toThrow('of the user');
        expect(await life.numbers()).toEqual(range(0, 5));
        expect(life.replayed).toEqual([]);
      },
    );

    it('sends each letter again once, however many ask at once and whatever comes meanwhile', async () => {
      const life = start();
      await life.keep(0, 100);
      const counts = await Promise.all([
        life.letters.replay(isEven),
        life.letters.replay(),
        life.letters.purge(({ event }) => event.n === 99),
        life.keep(100, 120),
        life.letters.replay(),
        life.numbers(),
      ]);
      expect(counts[0] + counts[1] + counts[2] + counts[4] + (await life.letters.count())).toBe(120);
      await life.letters.replay();
      const sent = life.replayed.map((event) => JSON.parse(event).n);
      expect(sent.toSorted((a, b) => a - b)).toEqual(
        range(0, 120).filter((n) => counts[2] === 0 || n !== 99),
      );
    });

    it('lists on while letters go and come, and ends', async () => {
      const life = start();
      await life.keep(0, 70);
      const seen: unknown[] = [];
      for await (const { id, event } of life.letters.list()) {
        seen.push(event.n);
        await life.letters.purge([id]);
        // As if the service had refused it again.
        await life.keep(1_000 + seen.length, 1_001 + seen.length);
      }
      expect(seen).toEqual(range(0, 70));
      expect(await life.letters.count()).toBe(70);
    });

    it('can be left in the middle of a list', async () => {
      const life = start();
      await life.keep(0, 120);
      for await (const { event } of life.letters.list()) if (event.n === 3) break;
      expect(await life.letters.purge()).toBe(120);
    });

    it('stays within its bound of bytes: the oldest go first, and that is said', async () => {
      const maxBytes = 64 * KIB;
      const life = start(newPlace(), { maxBytes });
      for (let n = 0; n < 400; n += 20) {
        await life.keep(n, n + 20);
        expect(life.letters.bytes).toBeLessThanOrEqual(maxBytes);
        const count = await life.letters.count();
        expect(count + life.droppedFor('full')).toBe(n + 20);
        expect(await life.numbers()).toEqual(range(n + 20 - count, n + 20));
      }
      // Not much more is dropped than necessary.
      expect(life.letters.bytes).toBeGreaterThan(maxBytes / 2);
    });

    it('drops a letter that is larger than all that may be kept, and no other', async () => {
      const life = start(newPlace(), { maxBytes: 64 * KIB });
      await life.keep(0, 5);
      const large = toEventBytes([JSON.stringify({ large: 'x'.repeat(64 * KIB) })]);
      const batch = createBatch(large, { segment: 1, from: 0, to: 1 });
      await life.store.keep(batch, { status: 400, excerpt: '' });
      expect(await life.numbers()).toEqual(range(0, 5));
      expect(life.dropped).toEqual([{ reason: 'full', count: 1 }]);
    });

    it('drops what gets too old, by itself, and says so', async () => {
      const life = start(newPlace(), { maxAgeMs: 10 * HOUR });
      await life.keep(0, 20, HOUR / 2);
      expect(await life.letters.count()).toBe(20);
      await life.pass(5);
      const count = await life.letters.count();
      // Each is dropped between 10 and 11 hours after it was kept.
      expect(await life.numbers()).toEqual(range(20 - count, 20));
      expect([10, 11, 12]).toContain(count);
      expect(life.droppedFor('expired')).toBe(20 - count);
      await life.pass(11);
      expect(await life.letters.count()).toBe(0);
      expect(life.dropped.every(({ reason }) => reason === 'expired')).toBe(true);
    });

    it('drops nothing where the clock is set back', async () => {
      const life = start(newPlace(), { maxAgeMs: 2 * HOUR });
      await life.keep(0, 5);
      life.timeOfDay.skewMs = -365 * 24 * HOUR;
      await life.keep(5, 10);
      await life.pass(1);
      expect(await life.letters.count()).toBe(10);
      expect(life.dropped).toEqual([]);
    });

    it('rejects everything once it is closed', async () => {
      const life = start();
      await life.keep(0, 60);
      const { letters } = life;
      const listing = letters.list()[Symbol.asyncIterator]();
      await listing.next();
      await life.close();
      const closed = { code: 'SLUICE_CLOSED' };
      await expect(letters.count()).rejects.toMatchObject(closed);
      await expect(letters.replay()).rejects.toMatchObject(closed);
      await expect(letters.purge()).rejects.toMatchObject(closed);
      await expect(letters.list().next()).rejects.toMatchObject(closed);
      const rest = async () => {
        while (!(await listing.next()).done);
      };
      await expect(rest()).rejects.toMatchObject(closed);
    });

    if (!subject.survives) return;

    it('finds what earlier lives left, by the same ids, oldest first', async () => {
      const place = newPlace();
      const clock = new VirtualClock(NOW);
      const ids: string[] = [];
      for (const from of [0, 60, 120]) {
        const life = start(place, {}, clock);
        await life.keep(from, from + 60);
        ids.push(...(await life.all(({ event }) => Number(event.n) >= from)).map(({ id }) => id));
        await life.close();
      }
      const heir = start(place, {}, clock);
      expect((await heir.all()).map(({ id }) => id)).toEqual(ids);
      expect(await heir.letters.replay([ids[0] ?? '', ids[179] ?? ''])).toBe(2);
      expect(heir.replayed).toEqual([text(0), text(179)]);
      await heir.close();
      expect(await start(place, {}, clock).numbers()).toEqual(range(1, 179));
    });

    it('brings what earlier lives left within its bounds', async () => {
      const place = newPlace();
      const clock = new VirtualClock(NOW);
      for (const from of [0, 200]) {
        const life = start(place, {}, clock);
        await life.keep(from, from + 200);
        await life.close();
        await clock.advance(HOUR);
      }
      const heir = start(place, { maxBytes: 64 * KIB, maxAgeMs: 1.5 * HOUR }, clock);
      const count = await heir.letters.count();
      expect(heir.letters.bytes).toBeLessThanOrEqual(64 * KIB);
      expect(heir.droppedFor('expired')).toBe(200);
      expect(heir.droppedFor('full') + count).toBe(200);
      expect(await heir.numbers()).toEqual(range(400 - count, 400));
    });
  });
}
