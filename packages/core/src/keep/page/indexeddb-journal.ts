import type { Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../../base/alarm.ts';
import { ClosedError } from '../../base/errors/closed-error.ts';
import { StorageError, storageError } from '../../base/errors/storage-error.ts';
import { type EventBytes, type Limit, sliceEvents } from '../../base/event-bytes.ts';
import type { Fate } from '../../base/fate.ts';
import { allOf, outside, type Range, type Span } from '../../base/range.ts';
import { Turns } from '../../base/turns.ts';
import type { SharedPause } from '../../pace/shared-pause.ts';
import type { Activity, Journal, JournalObserver, Reading, Sharing } from '../journal.ts';
import { readPieces } from '../record-list.ts';
import { IndexedDbStore } from './indexeddb-store.ts';
import { ALIVE, createRecord, type Lease, type PageRecord, rangeOf, SENT } from './page-record.ts';
import { PageRecords } from './page-records.ts';
import { isHidden, type Meeting, Tabs } from './tabs.ts';

/** Storage that could not be searched for what other lives left is searched again after so long. */
const SEARCH_AGAIN_MS = 30_000;
const FRAME_MS = 16;

/** One database for all pages of an origin and account. Each page is a life; any delivers what all left, one at a time: BROWSER.md. */
export class IndexedDbJournal implements Journal, Sharing {
  readonly survives = true;
  /** Records of this size are written fastest, and stay below the size at which browsers move values to files. */
  readonly groupLimit: Limit = { maxEvents: 500, maxBytes: 48 * 1024 };
  readonly sharing: Sharing = this;
  pause: SharedPause | undefined;
  readonly #name: string;
  readonly #clock: Clock;
  /** From this `wasAlive` of an ended lease on, its events count as delivered. */
  readonly #taken: number;
  readonly #store: IndexedDbStore;
  readonly #records: PageRecords;
  readonly #tabs: Tabs;
  #observer: JournalObserver | undefined;
  readonly #searching: Alarm;
  readonly #refreshing = new Turns();
  #listener: Parameters<Sharing['listen']>[0] = () => {};
  #isWaiting = false;
  /** The database writes it before it reads. So a read begins in a task of its own, not in that of the request before. */
  #leasing: Promise<void> | undefined;
  #next = 0;
  #fails = false;
  #closed = false;

  constructor(name: string, meeting: Meeting, clock: Clock, isOnce = false) {
    this.#name = name;
    this.#taken = isOnce ? ALIVE : SENT;
    this.#clock = clock;
    this.#searching = new Alarm(clock, () => void this.#search().catch(() => {}));
    this.#store = new IndexedDbStore(name, clock, () => this.#forget());
    this.#records = new PageRecords(name, this.#store, clock);
    this.#tabs = new Tabs(name, meeting, clock, this.#store, {
      onMessage: (message) => {
        if (message.length === 4) return this.#settle(...message);
        // What it knows of us may be older than what we appended last.
        if (message[1] === 'works' && this.#isWaiting) this.#tabs.tell([this.#records.own, 'waits']);
        this.#listener(...message);
      },
      onLeft: (isLeft) => this.#records.leave(isLeft),
      onFailed: (error) => this.#observer?.failed(error),
    });
  }

  get kind(): string {
    return this.#fails ? 'memory' : 'indexeddb';
  }

  /** A transaction costs as much as what is in it. In a hidden page timers come late. */
  get gatherMs(): number {
    return isHidden() ? 0 : FRAME_MS;
  }

  get isLeft(): boolean {
    return this.#records.isLeft;
  }

  get bytes(): number {
    return this.#records.lives.reduce((total, { records }) => total + records.bytes, 0);
  }

  open(observer: JournalObserver): Promise<void> {
    this.#observer = observer;
    this.#tabs.open();
    return this.#search();
  }

  async append(events: EventBytes): Promise<Range> {
    if (this.#closed) throw new ClosedError('append() was called after close()');
    const from = this.#next;
    // At once: another append may be called before this one is stored.
    this.#next += events.ends.length;
    const record = this.#records.add(this.#records.lifeOf(this.#records.own), from, events);
    await this.#save([record], true);
    this.tell('waits');
    return rangeOf(record);
  }

  /** Each event by itself: however others hold them, they write the same record, which is there once, and goes once. */
  async restore(lost: readonly Reading[]): Promise<void> {
    const restored: PageRecord[] = [];
    for (const { events, range } of lost) {
      const life = this.#records.lives[range.segment - 1];
      for (let { from } = range; life && from < range.to; from += 1) {
        const event = sliceEvents(events, from - range.from, { maxEvents: 1, maxBytes: 0 });
        restored.push(this.#records.add(life, from, event));
      }
    }
    await this.#save(restored, false);
  }

  together<Result>(work: () => Result): Result {
    return this.#records.together(work);
  }

  async read(range: Range, limit: Limit): Promise<Reading> {
    await this.#leasing;
    const life = this.#records.lives[range.segment - 1];
    const wanted = life?.records.within(range, limit) ?? [];
    // Not as if it had been lost: some of what storage lost is stored again.
    const found = await this.#run('read events', () => this.#records.read(wanted), true);
    const pieces = found.flatMap((one) => one.pieces);
    const events = readPieces(range, limit, pieces);
    let to = range.from + events.ends.length;
    if (to === range.from) {
      const others = life?.records.all.filter(({ rest }) => rest.length > 0) ?? [];
      const next = [...pieces, ...others].find(({ from }) => from > range.from);
      to = Math.min(range.to, next?.from ?? range.to);
      if (found[0]?.isDamaged) this.#observer?.damaged(this.#name, found[0].bytes);
      // Another page saw to them, perhaps while they were in a request of this one.
      else if (life) this.#settle(life.id, range.from, to, 'delivered');
    }
    return { events, range: { ...range, to } };
  }

  async acknowledge(range: Range, fate: Fate = 'delivered'): Promise<void> {
    const life = this.#records.lives[range.segment - 1];
    if (!life) return;
    this.#tabs.tell([life.id, range.from, range.to, fate]);
    const changed = life.records.release(range);
    if (changed.length > 0) await this.#run('release events', () => this.#records.release(changed));
  }

  /** Gives up one record, of other lives first, whatever the priority of its events. */
  async evictOldest(): Promise<true | undefined> {
    const record = this.#records.oldest;
    if (!record) return undefined;
    const range = rangeOf(record);
    this.#observer?.settled?.(range, 'journal-full');
    await this.acknowledge(range, 'journal-full');
    return true;
  }

  async sync(): Promise<void> {
    await this.#run('sync events', () => this.#store.sync(), true);
  }

  hold<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    return this.#tabs.hold(work, signal);
  }

  /** One after the other: what an earlier listing finds must be known when a later one is made. */
  refresh(): Promise<void> {
    return this.#refreshing.take(() => this.#list());
  }

  #search(): Promise<void> {
    return this.refresh().catch((error) => {
      this.#searching.set(SEARCH_AGAIN_MS);
      throw error;
    });
  }

  async #list(): Promise<void> {
    const observer = this.#observer;
    const lives = this.#records.lives;
    // What is being appended is not missing, though it may not be listed.
    const known = lives.flatMap(({ records }) => records.all.filter(({ isStored }) => isStored));
    const listed = new Map<PageRecord, Span[]>(known.map((record) => [record, []]));
    const { odd, pauses, records } = await this.#run('list events', () => this.#records.list());
    if (!observer || this.#closed) return;
    // Cleared meanwhile: nobody saw to what is not there.
    if (lives !== this.#records.lives) return this.#list();
    if (this.#records.discard(odd)) observer.damaged(this.#name, 0);
    const [pause] = pauses;
    this.pause = pause && { until: pause[0], failures: pause[1] };
    for (const { key, leases } of records) {
      const [id, from, to] = key;
      const life = this.#records.lifeOf(id);
      let record = life.records.at(from);
      if (record) listed.get(record)?.push({ from, to });
      else if (id === this.#records.own) continue;
      else record = life.records.add(createRecord(life, key, true));
      let left = outside([{ from, to }], record.known);
      for (const lease of leases) {
        const others = outside(left, [lease]);
        const parts = outside(left, others);
        if (!lease.isRunning) this.#find(record, parts, lease);
        else if (parts.length > 0) this.#listener(id, 'waits');
        left = others;
      }
      this.#find(record, left);
    }
    for (const [record, pieces] of listed) {
      for (const { from, to } of outside(record.rest, pieces))
        this.#settle(record.life.id, from, to, 'delivered');
      if (pieces.length === 0) this.#records.drop(record);
    }
    // Not longer than it was, though the clock was set back since.
    if (pause)
      await this.setPause({ until: Math.min(pause[0], this.#clock.now() + pause[2]), failures: pause[1] });
  }

  async setPause(pause: SharedPause | undefined): Promise<void> {
    if (pause?.until === this.pause?.until) return;
    this.pause = pause;
    await this.#run('store a pause', () =>
      this.#store.use('readwrite', (objects) => {
        objects.delete(IDBKeyRange.bound([], ['']));
        if (pause) objects.put(0, [pause.until, pause.failures, pause.until - this.#clock.now()]);
      }),
    );
  }

  lease(ranges: readonly Range[], forMs: number, isAppending?: boolean): void {
    // Without a lease, another page may send the events as well.
    this.#leasing = this.#records.lease(ranges, forMs, isAppending).catch(() => undefined);
  }

  /** That something waits is told once, until there is rest. */
  tell(activity: Activity): void {
    const isNews = this.#isWaiting === (activity === 'rests');
    this.#isWaiting = activity !== 'rests';
    if (activity === 'works' || isNews) this.#tabs.tell([this.#records.own, activity]);
  }

  listen(listener: Parameters<Sharing['listen']>[0]): void {
    this.#listener = listener;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#searching.stop();
    this.#tabs.close();
    this.#store.close();
  }

  /** Writes what was added. New records are not stored if storage was cleared meanwhile; restored ones are restored again. */
  async #save(records: readonly PageRecord[], areNew: boolean): Promise<void> {
    try {
      await this.#run('store events', () => this.#records.write(), areNew);
    } catch (error) {
      for (const record of records) record.life.records.release(record);
      this.#records.disown(records);
      throw error;
    }
    for (const record of records) record.isStored = true;
  }

  /** Tells of events of another life. @param lease The last one of them. */
  #find(record: PageRecord, parts: readonly Span[], lease?: Lease): void {
    const { segment, id } = record.life;
    const isTaken = lease && lease.wasAlive >= this.#taken;
    record.known = [...record.known, ...parts];
    for (const { from, to } of parts) {
      this.#observer?.recovered({ segment, from, to }, undefined, isTaken === false);
      if (isTaken) this.#settle(id, from, to, 'delivered', true);
    }
  }

  /** Events of a life came to their end. @param isKept Whether storage may still have them. */
  #settle(id: string, from: number, to: number, fate: Fate, isKept = this.#records.wasCleared): void {
    const { segment, records } = this.#records.lifeOf(id);
    const range = { segment, from, to };
    const changed = records.release(range);
    this.#observer?.settled?.(range, fate);
    // After another page deleted them, they may have been stored again.
    if (isKept) this.#records.release(changed).catch(() => undefined);
  }

  #forget(): void {
    this.#records.forget();
    for (const { segment } of this.#records.lives) this.#observer?.vanished?.(allOf(segment));
  }

  /** @param isKept Rejects also where storage was cleared meanwhile: what was written went with it. */
  async #run<Result>(what: string, action: () => Promise<Result>, isKept = false): Promise<Result> {
    const lives = this.#records.lives;
    try {
      const result = await action();
      if (isKept && lives !== this.#records.lives) throw new StorageError('storage was cleared meanwhile');
      this.#fails = false;
      return result;
    } catch (cause) {
      this.#fails = lives === this.#records.lives;
      throw storageError(`cannot ${what} in IndexedDB`, cause);
    }
  }
}
