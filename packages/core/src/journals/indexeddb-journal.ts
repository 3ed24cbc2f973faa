import { delMany, get, keys, promisifyRequest } from 'idb-keyval';
import type { Clock, Timer } from '../clock.ts';
import { ClosedError } from '../errors/closed-error.ts';
import { StorageError, storageError } from '../errors/storage-error.ts';
import { sliceEvents } from '../event-bytes.ts';
import {
  type EventBytes,
  type Journal,
  type JournalObserver,
  type Limit,
  NO_EVENTS,
  type Range,
  type Reading,
  rangeLength,
} from '../journal.ts';
import { uuid } from '../uuid.ts';
import { type Chunk, ChunkList } from './chunk-list.ts';
import { IndexedDbStore } from './indexeddb-store.ts';

/** One record is one group of events: its life, the indexes of its events in it, and their size. */
type Key = [life: string, from: number, to: number, bytes: number];

/** Records of this size are written fastest, and stay below the size at which browsers move values to files. */
const GROUP_LIMIT: Limit = { maxEvents: 100, maxBytes: 48 * 1024 };

interface StoredChunk extends Chunk {
  readonly key: Key;
  readonly bytes: number;
}

interface Segment {
  readonly number: number;
  readonly life: string;
  readonly chunks: ChunkList<StoredChunk>;
  /** What its records take. */
  bytes: number;
}

/** Storage that could not be searched for what earlier lives left is searched again after so long. */
const SEARCH_AGAIN_MS = 30_000;

/** Web Locks, where the browser has them. A lock is held while its callback's promise is pending. */
type Locks = Pick<LockManager, 'request'>;

/**
 * Keeps events in IndexedDB: a record for each group, written once and deleted once, never rewritten. Each page is a
 * life of its own and holds a Web Lock while it lives; a page takes over the lives whose lock is free. Where there are
 * no Web Locks it takes over all, which may deliver twice what another open page holds, and loses nothing.
 */
export class IndexedDbJournal implements Journal {
  readonly survives = true;
  readonly groupLimit: Limit = GROUP_LIMIT;
  readonly copies = true;
  readonly #name: string;
  readonly #locks: Locks | undefined;
  readonly #clock: Clock;
  readonly #store: IndexedDbStore;
  readonly #life = uuid();
  readonly #segments = new Map<number, Segment>();
  /** What is appended to. */
  #own: Segment;
  /** Records that are to go, and may still be there: deleting them failed, or writing them did, and was done nevertheless. */
  #stale: Key[] = [];
  /** Resolving it lets go of all locks. */
  #releaseLocks: () => void = () => {};
  readonly #released: Promise<void>;
  #observer: JournalObserver | undefined;
  #searching: Timer | undefined;
  /** Segments ever known. */
  #count = 0;
  #next = 0;
  /** Whether the browser failed when it was last asked for something. */
  #fails = false;
  #closed = false;

  constructor(name: string, locks: Locks | undefined, clock: Clock) {
    this.#name = name;
    this.#locks = locks;
    this.#store = new IndexedDbStore(name, clock, () => this.#forget());
    this.#clock = clock;
    this.#own = this.#addSegment(this.#life);
    this.#released = new Promise((resolve) => {
      this.#releaseLocks = resolve;
    });
  }

  get kind(): string {
    return this.#fails ? 'memory' : 'indexeddb';
  }

  get bytes(): number {
    return [...this.#segments.values()].reduce((total, { bytes }) => total + bytes, 0);
  }

  async open(observer: JournalObserver): Promise<void> {
    this.#observer = observer;
    try {
      await this.#search(observer);
    } catch (error) {
      this.#searchLater(observer);
      throw error;
    }
  }

  async #search(observer: JournalObserver): Promise<void> {
    await this.#lock(this.#life);
    const adopted = new Map<string, Key[]>();
    for (const [life] of await this.#keys()) {
      if (life !== this.#life && !adopted.has(life) && (await this.#lock(life))) adopted.set(life, []);
    }
    // Listed again: a life that was locked only now may have delivered some of its events before it ended.
    for (const key of await this.#keys()) adopted.get(key[0])?.push(key);
    for (const [life, stored] of adopted) this.#adopt(life, stored, observer);
  }

  async append(events: EventBytes): Promise<Range> {
    if (this.#closed) throw new ClosedError('append() was called after close()');
    const from = this.#next;
    const to = from + events.ends.length;
    // At once: another append may be called before this one is stored.
    this.#next = to;
    const { bytes, ends, times } = events;
    const key: Key = [this.#life, from, to, bytes.length];
    const record = { bytes: new Uint8Array(bytes), ends: ends.slice(), times: times?.slice() };
    const own = this.#own;
    const range = { segment: own.number, from, to };
    // Now, so that they are in their order whichever is stored first.
    own.chunks.push({ key, from, to, bytes: bytes.length });
    try {
      await this.#run(`store ${ends.length} events`, () => this.#put(key, record));
      if (own !== this.#own) throw new StorageError('storage was cleared meanwhile');
    } catch (error) {
      own.chunks.acknowledge(range);
      this.#stale.push(key);
      throw error;
    }
    own.bytes += bytes.length;
    return range;
  }

  async read(range: Range, limit: Limit): Promise<Reading> {
    const chunk = this.#segments.get(range.segment)?.chunks.find(range.from);
    if (chunk === undefined) return { events: NO_EVENTS, range };
    const record = await this.#run('read events', () => get<EventBytes>(chunk.key, this.#store.use));
    // Deleted under us: storage was cleared.
    if (record === undefined)
      return { events: NO_EVENTS, range: { ...range, to: Math.min(range.to, chunk.to) } };
    const events = sliceEvents(record, range.from - chunk.from, {
      maxEvents: Math.min(limit.maxEvents, rangeLength(range)),
      maxBytes: limit.maxBytes,
    });
    return { events, range: { ...range, to: range.from + events.ends.length } };
  }

  async acknowledge(range: Range): Promise<void> {
    const segment = this.#segments.get(range.segment);
    const done = segment?.chunks.acknowledge(range) ?? [];
    if (segment === undefined || done.length === 0) return;
    for (const chunk of done) segment.bytes -= chunk.bytes;
    const stale = done.map((chunk) => chunk.key);
    await this.#run('delete delivered events', () =>
      this.#deleting(stale, (all) => delMany(all, this.#store.use)),
    );
  }

  async sync(): Promise<void> {
    await this.#run('sync what is stored', () => this.#store.sync());
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#searching?.cancel();
    this.#releaseLocks();
    this.#store.close();
  }

  /** Writes a record, and deletes what is to go. Nothing is awaited before: this may be the last moment of the page. */
  #put(key: Key, record: EventBytes): Promise<void> {
    return this.#deleting([], (stale) =>
      this.#store.use('readwrite', (objects) => {
        for (const old of stale) objects.delete(old);
        objects.put(record, key);
        // Left to itself, it ends with the page.
        objects.transaction.commit?.();
        return promisifyRequest(objects.transaction);
      }),
    );
  }

  /** Where it fails, these are deleted with the next that are, or with the next that is written. */
  async #deleting(stale: readonly Key[], action: (stale: Key[]) => Promise<void>): Promise<void> {
    const all = [...this.#stale.splice(0), ...stale];
    try {
      await action(all);
    } catch (error) {
      this.#stale.push(...all);
      throw error;
    }
  }

  /** In order: by life, then by index. */
  async #keys(): Promise<Key[]> {
    const all = await this.#run('list what is stored', () => keys<Key | number>(this.#store.use));
    return all.filter((key) => typeof key !== 'number');
  }

  #adopt(life: string, stored: Key[], observer: JournalObserver): void {
    const segment = this.#addSegment(life);
    for (const key of stored) {
      const [, from, to, bytes] = key;
      segment.chunks.push({ key, from, to, bytes });
      segment.bytes += bytes;
      observer.recovered({ segment: segment.number, from, to });
    }
  }

  #addSegment(life: string): Segment {
    this.#count += 1;
    const segment = { number: this.#count, life, chunks: new ChunkList<StoredChunk>(), bytes: 0 };
    this.#segments.set(segment.number, segment);
    return segment;
  }

  #searchLater(observer: JournalObserver): void {
    this.#searching = this.#clock.setTimeout(() => {
      this.#search(observer).catch(() => this.#searchLater(observer));
    }, SEARCH_AGAIN_MS);
  }

  /** Storage was cleared. */
  #forget(): void {
    const known = [...this.#segments.keys()];
    this.#segments.clear();
    this.#own = this.#addSegment(this.#life);
    for (const segment of known) this.#observer?.vanished?.(segment);
  }

  /** Takes the lock of a life until the journal is closed. False where another page holds it. */
  #lock(life: string): Promise<boolean> {
    const locks = this.#locks;
    if (locks === undefined) return Promise.resolve(true);
    return new Promise((resolve, reject) => {
      const hold = (lock: Lock | null) => {
        resolve(lock !== null);
        return lock === null ? undefined : this.#released;
      };
      locks.request(`sluice ${this.#name} ${life}`, { ifAvailable: true }, hold).catch(reject);
    });
  }

  async #run<Result>(what: string, action: () => Promise<Result>): Promise<Result> {
    try {
      const result = await action();
      this.#fails = false;
      return result;
    } catch (cause) {
      this.#fails = true;
      throw storageError(`cannot ${what} in IndexedDB`, cause);
    }
  }
}
