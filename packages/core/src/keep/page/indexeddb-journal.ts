import { getMany, keys, promisifyRequest } from 'idb-keyval';
import type { Clock, Timer } from '../../base/clock.ts';
import { ClosedError } from '../../base/errors/closed-error.ts';
import { StorageError, storageError } from '../../base/errors/storage-error.ts';
import { type EventBytes, type Limit, sliceEvents } from '../../base/event-bytes.ts';
import type { Fate } from '../../base/fate.ts';
import type { Range } from '../../base/range.ts';
import { Turns } from '../../base/turns.ts';
import { uuid } from '../../base/uuid.ts';
import type { SharedPause } from '../../pace/shared-pause.ts';
import { type Chunk, ChunkList, readChunks } from '../chunk-list.ts';
import {
  type Activity,
  type Journal,
  type JournalObserver,
  MOST_HOLD_MS,
  type Reading,
  type Sharing,
} from '../journal.ts';
import { IndexedDbStore } from './indexeddb-store.ts';
import { isHidden, type Meeting, Tabs } from './tabs.ts';

/**
 * A group of events, by its life, the indexes of its events in it, and their size; where they are in a request of a page that
 * goes, others leave them alone until a time. Or a note that some were released: its size is `NOTE`.
 */
type EventKey = [life: string, from: number, to: number, bytes: number, ...sentUntil: number[]];
/** How long it is, from when it was stored, tells a clock that was set back since. */
type PauseKey = [until: number, failures: number, forMs: number];
type Key = EventKey | PauseKey;

/** The size in the key of a note. */
const NOTE = -1;
/** Storage that could not be searched for what other lives left is searched again after so long. */
const SEARCH_AGAIN_MS = 30_000;
/** Records of this size are written fastest, and stay below the size at which browsers move values to files. */
const GROUP_LIMIT: Limit = { maxEvents: 500, maxBytes: 48 * 1024 };

/** A frame. */
const GATHER_MS = 16;

interface StoredChunk extends Chunk {
  readonly key: EventKey;
  /** Whether it is written. */
  isStored: boolean;
  /** Another page may have written it again, too, since storage was cleared. */
  readonly isAgain?: boolean;
}

interface Segment {
  readonly number: number;
  readonly life: string;
  readonly chunks: ChunkList<StoredChunk>;
  /** The first index of each chunk that it ever had. */
  readonly known: Set<number>;
  /** What its records take. */
  bytes: number;
}

/** An ArrayBuffer, as far as newer browsers go. */
interface Transferable {
  transfer?(length: number): unknown;
}

/** What `delete` of IndexedDB takes. */
type Keys = Key | IDBKeyRange;

/**
 * Keeps events in IndexedDB, in one database for all pages of an origin and account: a record for each group, written
 * once and deleted once, never rewritten. Each page is a life of its own that appends when it likes. What all lives left
 * is for any of them to deliver, one at a time: see BROWSER.md.
 */
export class IndexedDbJournal implements Journal, Sharing {
  readonly survives = true;
  readonly groupLimit: Limit = GROUP_LIMIT;
  readonly copies = true;
  readonly sharing: Sharing | undefined;
  pause: SharedPause | undefined;
  readonly #clock: Clock;
  readonly #store: IndexedDbStore;
  readonly #tabs: Tabs;
  readonly #life = uuid();
  /** By number. */
  #segments: (Segment | undefined)[] = [];
  /** What is appended to. */
  #own: Segment;
  /** Records that are to go, and may still be there: deleting them failed, or writing them did, and was done nevertheless. */
  #stale: Keys[] = [];
  /** What is written next. */
  #added: [key: Key, record: unknown][] = [];
  /** Within `together`: resolves once all of it is written. */
  #joint: Promise<void> | undefined;
  #observer: JournalObserver | undefined;
  #searching: Timer | undefined;
  readonly #refreshing = new Turns();
  #listener: Parameters<Sharing['listen']>[0] = () => {};
  #isWaiting = false;
  #next = 0;
  /** Whether the browser failed when it was last asked for something. */
  #fails = false;
  #closed = false;

  constructor(name: string, meeting: Meeting, clock: Clock) {
    this.#clock = clock;
    this.#store = new IndexedDbStore(name, clock, () => this.#forget());
    this.#own = this.#segmentOf(this.#life);
    this.sharing = meeting.locks && this;
    this.#tabs = new Tabs(name, meeting, clock, (message) => {
      if (message.length === 4) return this.#settle(...message);
      // What it knows of us may be older than what we appended last.
      if (message[1] === 'works' && this.#isWaiting) this.#tabs.tell([this.#life, 'waits']);
      this.#listener(...message);
    });
  }

  get kind(): string {
    return this.#fails ? 'memory' : 'indexeddb';
  }

  /** A transaction costs as much as what is in it. In a hidden page timers come late. */
  get gatherMs(): number {
    return isHidden() ? 0 : GATHER_MS;
  }

  get bytes(): number {
    return this.#segments.reduce((total, segment) => total + (segment?.bytes ?? 0), 0);
  }

  async open(observer: JournalObserver): Promise<void> {
    this.#observer = observer;
    this.#tabs.open();
    try {
      await this.refresh();
    } catch (error) {
      this.#searching = this.#clock.setTimeout(() => {
        this.open(observer).catch(() => undefined);
      }, SEARCH_AGAIN_MS);
      throw error;
    }
  }

  async append(events: EventBytes, holdMs?: number): Promise<Range> {
    if (this.#closed) throw new ClosedError('append() was called after close()');
    const from = this.#next;
    const to = from + events.ends.length;
    // At once: another append may be called before this one is stored.
    this.#next = to;
    const key: EventKey = [this.#life, from, to, events.bytes.length];
    if (holdMs !== undefined) key.push(this.#clock.now() + holdMs);
    const own = this.#own;
    const range = { segment: own.number, from, to };
    const chunk = this.#keep(own, key, false);
    try {
      await this.#runKept(`store ${to - from} events`, () => this.#write([], [key], copy(events)));
    } catch (error) {
      this.#release(own, range);
      this.#stale.push(key);
      throw error;
    }
    chunk.isStored = true;
    this.tell('waits');
    return range;
  }

  /** Each event by itself: however others hold them, they write the same record, which is there once, and goes once. */
  async restore(lost: readonly Reading[]): Promise<void> {
    const chunks: [Segment, StoredChunk][] = [];
    for (const { events, range } of lost) {
      const segment = this.#segments[range.segment];
      for (let from = range.from; segment && from < range.to; from += 1) {
        const event = sliceEvents(events, from - range.from, { maxEvents: 1, maxBytes: 0 });
        const key: EventKey = [segment.life, from, from + 1, event.bytes.length];
        chunks.push([segment, this.#keep(segment, key, false, true)]);
        this.#added.push([key, copy(event)]);
      }
    }
    try {
      await this.#run('store events again', () => this.#write([], [], 0));
    } catch (error) {
      for (const [segment, { from, to }] of chunks)
        this.#release(segment, { segment: segment.number, from, to });
      throw error;
    }
    for (const [, chunk] of chunks) chunk.isStored = true;
  }

  /** Chromium ends with a page what it wrote in transactions that had not begun, though they were told to commit. */
  together<Result>(work: () => Result): Result {
    if (this.#joint) return work();
    let end: (written?: Promise<void>) => void = () => {};
    this.#joint = new Promise<void>((resolve) => {
      end = resolve;
    });
    try {
      return work();
    } finally {
      this.#joint = undefined;
      end(this.#added.length > 0 ? this.#flush() : undefined);
    }
  }

  async read(range: Range, limit: Limit): Promise<Reading> {
    const chunks = this.#segments[range.segment]?.chunks;
    const wanted = chunks?.within(range, limit) ?? [];
    // Not as if it had been lost: some of what storage lost is stored again.
    const records = await this.#runKept('read events', () =>
      getMany<EventBytes | undefined>(
        wanted.map(({ key }) => key),
        this.#store.use,
      ),
    );
    const events = readChunks(range, limit, wanted, records);
    const [first] = wanted;
    let to = range.from + events.ends.length;
    // Deleted under us: storage was cleared.
    if (first && to === range.from) to = Math.min(range.to, first.to);
    if (first === undefined) {
      to = chunks?.chunks.find(({ from }) => from > to && from < range.to)?.from ?? range.to;
      // Another page saw to them while they were in a request of this one.
      if (chunks !== undefined) this.#observer?.settled?.({ ...range, to }, 'delivered');
    }
    return { events, range: { ...range, to } };
  }

  async acknowledge(range: Range, fate: Fate = 'delivered'): Promise<void> {
    const segment = this.#segments[range.segment];
    if (segment === undefined) return;
    const { life, chunks } = segment;
    const { from, to } = range;
    this.#tabs.tell([life, from, to, fate]);
    const done = this.#release(segment, range);
    // A chunk, and what was noted of it.
    const gone = done.map((chunk) => IDBKeyRange.bound([life, chunk.from], [life, chunk.to], false, true));
    const cut = new Set([chunks.find(from), chunks.find(to - 1)]);
    const notes = [...cut].flatMap((chunk): EventKey[] =>
      chunk ? [[life, Math.max(from, chunk.from), Math.min(to, chunk.to), NOTE]] : [],
    );
    if (gone.length + notes.length === 0) return;
    await this.#run('release events', () => this.#write(gone, notes, 0));
  }

  /** Gives up one record, of other lives first, whatever the priority of its events. */
  async evictOldest(): Promise<true | undefined> {
    const own = this.#own;
    for (const segment of [...this.#segments.filter((other) => other !== own), own]) {
      const chunk = segment?.chunks.chunks.find(({ isStored }) => isStored);
      if (segment === undefined || chunk === undefined) continue;
      const range = { segment: segment.number, from: chunk.from, to: chunk.to };
      this.#observer?.settled?.(range, 'journal-full');
      await this.acknowledge(range, 'journal-full');
      return true;
    }
    return undefined;
  }

  async sync(): Promise<void> {
    await this.#runKept('sync what is stored', () => this.#store.sync());
  }

  hold<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    return this.#tabs.hold(work, signal);
  }

  /** One after the other: what an earlier listing finds must be known when a later one is made. */
  refresh(): Promise<void> {
    return this.#refreshing.take(() => this.#list());
  }

  async #list(): Promise<void> {
    const observer = this.#observer;
    const own = this.#own;
    // What is being appended is not missing, though it may not be listed.
    const known = this.#segments.map((segment) => segment?.chunks.chunks.filter(({ isStored }) => isStored));
    const listed = await this.#run('list what is stored', () => keys<Key | number>(this.#store.use));
    if (observer === undefined || this.#closed) return;
    // Cleared meanwhile: nobody saw to what is not there.
    if (own !== this.#own) return this.#list();
    const found = new Set<string>();
    const notes: EventKey[] = [];
    const adopted: [Segment, StoredChunk][] = [];
    let most = Number.POSITIVE_INFINITY;
    this.pause = undefined;
    for (const key of listed) {
      if (typeof key === 'number') continue;
      if (!isEventKey(key)) {
        this.pause = { until: key[0], failures: key[1] };
        most = this.#clock.now() + key[2];
      } else if (key[3] === NOTE) {
        notes.push(key);
      } else {
        found.add(String(key));
        const segment = this.#segmentOf(key[0]);
        if (segment === this.#own || segment.known.has(key[1])) continue;
        const leftMs = (key[4] ?? 0) - this.#clock.now();
        if (leftMs > 0 && leftMs <= MOST_HOLD_MS) this.#listener(key[0], 'waits');
        else adopted.push([segment, this.#keep(segment, key, true)]);
      }
    }
    for (const { key } of known.flatMap((chunks) => chunks ?? []))
      if (!found.has(String(key))) this.#settle(key[0], key[1], key[2], 'delivered');
    for (const [life, from, to] of notes) this.#settle(life, from, to, 'delivered');
    for (const [{ number, chunks }, { key, from }] of adopted)
      for (const rest of chunks.restOf(from))
        observer.recovered({ segment: number, ...rest }, undefined, key.length > 4);
    if (this.pause && this.pause.until > most) await this.setPause({ ...this.pause, until: most });
  }

  async setPause(pause: SharedPause | undefined): Promise<void> {
    if (pause?.until === this.pause?.until) return;
    this.pause = pause;
    const key: PauseKey[] = pause ? [[pause.until, pause.failures, pause.until - this.#clock.now()]] : [];
    const before = IDBKeyRange.bound([Number.NEGATIVE_INFINITY], [''], false, true);
    await this.#run('store a pause', () => this.#write([before], key, 0));
  }

  /** That something waits is told once, until there is rest. */
  tell(activity: Activity): void {
    const wasWaiting = this.#isWaiting;
    this.#isWaiting = activity !== 'rests';
    if (activity === 'works' || wasWaiting !== this.#isWaiting) this.#tabs.tell([this.#life, activity]);
  }

  listen(listener: Parameters<Sharing['listen']>[0]): void {
    this.#listener = listener;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#searching?.cancel();
    this.#tabs.close();
    this.#store.close();
  }

  /** Nothing is awaited before: this may be the last moment of the page. Where it fails, what is to go goes with what is written next. */
  #write(gone: readonly Keys[], added: readonly Key[], record: unknown): Promise<void> {
    this.#stale.push(...gone);
    for (const key of added) this.#added.push([key, record]);
    return this.#joint ?? this.#flush();
  }

  async #flush(): Promise<void> {
    const gone = this.#stale.splice(0);
    const added = this.#added.splice(0);
    try {
      await this.#store.use('readwrite', (objects) => {
        for (const old of gone) objects.delete(old);
        for (const [key, record] of added) objects.put(record, key);
        // Left to itself, it ends with the page.
        objects.transaction.commit?.();
        return promisifyRequest(objects.transaction);
      });
      // What waits for the garbage collector cannot hold the next ones: memory that is new to the page is slow.
      for (const [, record] of added) letGo(record);
    } catch (error) {
      this.#stale.push(...gone);
      throw error;
    }
  }

  /** Another life saw events to their end. */
  #settle(life: string, from: number, to: number, fate: Fate): void {
    const segment = this.#segmentOf(life);
    const range = { segment: segment.number, from, to };
    const again = this.#release(segment, range).filter(({ isAgain }) => isAgain);
    this.#observer?.settled?.(range, fate);
    // It may have been written after the other one deleted it.
    if (again.length > 0)
      this.#write(
        again.map(({ key }) => key),
        [],
        0,
      ).catch(() => undefined);
  }

  #release(segment: Segment, range: Range): StoredChunk[] {
    const done = segment.chunks.acknowledge(range);
    for (const { bytes } of done) segment.bytes -= bytes;
    return done;
  }

  #segmentOf(life: string): Segment {
    const known = this.#segments.find((segment) => segment?.life === life);
    if (known !== undefined) return known;
    const segment = createSegment(Math.max(1, this.#segments.length), life);
    this.#segments[segment.number] = segment;
    return segment;
  }

  #keep(segment: Segment, key: EventKey, isStored: boolean, isAgain = false): StoredChunk {
    const [, from, to, bytes] = key;
    const chunk = { key, from, to, bytes, isStored, isAgain };
    segment.chunks.push(chunk);
    segment.known.add(from);
    segment.bytes += bytes;
    return chunk;
  }

  /** Storage was cleared. */
  #forget(): void {
    this.#segments = this.#segments.map((segment) => segment && createSegment(segment.number, segment.life));
    this.#own = this.#segmentOf(this.#life);
    for (const segment of this.#segments) if (segment) this.#observer?.vanished?.(segment.number);
  }

  /** Rejects also where storage was cleared meanwhile: what was written went with it. */
  async #runKept<Result>(what: string, action: () => Promise<Result>): Promise<Result> {
    const own = this.#own;
    const result = await this.#run(what, action);
    if (own !== this.#own) throw new StorageError('storage was cleared meanwhile');
    return result;
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

function isEventKey(key: Key): key is EventKey {
  return typeof key[0] === 'string';
}

function createSegment(number: number, life: string): Segment {
  return { number, life, chunks: new ChunkList<StoredChunk>(), known: new Set<number>(), bytes: 0 };
}

/** What is stored of events: their own memory is used again. */
function copy({ bytes, ends, times }: EventBytes): EventBytes {
  return { bytes: new Uint8Array(bytes), ends: ends.slice(), times: times?.slice() };
}

/** Gives back the memory of a copy, where the browser can do that. */
function letGo(record: unknown): void {
  const memory = (record as Partial<EventBytes>).bytes?.buffer as Transferable | undefined;
  memory?.transfer?.(0);
}
