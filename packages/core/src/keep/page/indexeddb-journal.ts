import type { Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../../base/alarm.ts';
import { ClosedError } from '../../base/errors/closed-error.ts';
import { StorageError, storageError } from '../../base/errors/storage-error.ts';
import { sliceEvents } from '../../base/event-bytes.ts';
import type { Fate } from '../../base/fate.ts';
import { allOf, outside, type Range, type Span } from '../../base/range.ts';
import { Turns } from '../../base/turns.ts';
import type { SharedPause } from '../../pace/shared-pause.ts';
import type { Activity, Journal, JournalObserver, Sharing } from '../journal.ts';
import { readPieces } from '../record-list.ts';
import { IndexedDbStore } from './indexeddb-store.ts';
import { ALIVE, createRecord, type Lease, type PageRecord, rangeOf, SENT } from './page-record.ts';
import { PageRecords } from './page-records.ts';
import { createTabs, isHidden, type Meeting } from './tabs.ts';

/** Storage that could not be searched for what other lives left is searched again after so long. */
const SEARCH_AGAIN_MS = 30_000;
const FRAME_MS = 16;
/** Records that a list deals with in one task. A slow device takes a millisecond for each. */
const LISTED_AT_ONCE = 16;

/** One database for all pages of an origin and account. Each page is a life; any delivers what all left, one at a time: BROWSER.md. */
export type IndexedDbJournal = Journal &
  Required<Pick<Journal, 'evictOldest' | 'restore' | 'together'>> &
  Required<Sharing>;

export function createIndexedDbJournal(
  name: string,
  meeting: Meeting,
  clock: Clock,
  isOnce = false,
): IndexedDbJournal {
  let pause: SharedPause | undefined;
  /** From this `wasAlive` of an ended lease on, its events count as delivered. */
  const taken = isOnce ? ALIVE : SENT;
  const store = new IndexedDbStore(name, clock, () => forget());
  const records = new PageRecords(name, store, clock);
  const tabs = createTabs(name, meeting, clock, store, {
    onMessage: (message) => {
      if (message.length === 4) return settle(...message);
      // What it knows of us may be older than what we appended last.
      if (message[1] === 'works' && isWaiting) tabs.tell([records.own, 'waits']);
      listener(...message);
    },
    onLeft: (isLeft) => records.leave(isLeft),
    onFailed: (error) => observer?.failed(error),
  });
  let observer: JournalObserver | undefined;
  const searching = new Alarm(clock, () => void search().catch(() => {}));
  const refreshing = new Turns();
  let listener: Parameters<Sharing['listen']>[0] = () => {};
  let isWaiting = false;
  /** The database writes it before it reads. So a read begins in a task of its own, not in that of the request before. */
  let leasing: Promise<void> | undefined;
  let next = 0;
  let fails = false;
  let closed = false;

  async function acknowledge(range: Range, fate: Fate = 'delivered'): Promise<void> {
    const life = records.lives[range.segment - 1];
    if (!life) return;
    tabs.tell([life.id, range.from, range.to, fate]);
    const changed = life.records.release(range);
    if (changed.length > 0) await run('release events', () => records.release(changed));
  }

  /** One after the other: what an earlier listing finds must be known when a later one is made. */
  function refresh(): Promise<void> {
    return refreshing.take(() => list());
  }

  function search(): Promise<void> {
    return refresh().catch((error) => {
      searching.set(SEARCH_AGAIN_MS);
      throw error;
    });
  }

  async function list(): Promise<void> {
    const { lives } = records;
    // What is being appended is not missing, though it may not be listed.
    const known = lives.flatMap(({ records }) => records.all.filter(({ isStored }) => isStored));
    const listed = new Map<PageRecord, Span[]>(known.map((record) => [record, []]));
    const { odd, pauses, records: found } = await run('list events', () => records.list());
    do {
      if (!observer || closed) return;
      // Cleared meanwhile: nobody saw to what is not there.
      if (lives !== records.lives) return list();
      for (const { key, leases } of found.splice(0, LISTED_AT_ONCE)) {
        const [id, from, to] = key;
        const life = records.lifeOf(id);
        let record = life.records.at(from);
        if (record) listed.get(record)?.push({ from, to });
        else if (id === records.own) continue;
        else record = life.records.add(createRecord(life, key, true));
        let left = outside([{ from, to }], record.known);
        for (const lease of leases) {
          const others = outside(left, [lease]);
          const parts = outside(left, others);
          if (!lease.isRunning) find(record, parts, lease);
          else if (parts.length > 0) listener(id, 'waits');
          left = others;
        }
        find(record, left);
      }
      // The rest in a task of its own: the page may have other work.
      await store.use('readonly', () => {});
    } while (found.length > 0);
    if (records.discard(odd)) observer.damaged(name, 0);
    for (const [record, pieces] of listed) {
      for (const { from, to } of outside(record.rest, pieces)) settle(record.life.id, from, to, 'delivered');
      if (pieces.length === 0) records.drop(record);
    }
    pause = undefined;
    for (const [until, failures, forMs] of pauses) {
      pause = { until, failures };
      // Not longer than it was, though the clock was set back since.
      await setPause({ until: Math.min(until, clock.now() + forMs), failures });
    }
  }

  async function setPause(next: SharedPause | undefined): Promise<void> {
    if (next?.until === pause?.until) return;
    pause = next;
    await run('store a pause', () =>
      store.use('readwrite', (objects) => {
        objects.delete(IDBKeyRange.bound([], ['']));
        if (next) objects.put(0, [next.until, next.failures, next.until - clock.now()]);
      }),
    );
  }

  /** That something waits is told once, until there is rest. */
  function tell(activity: Activity): void {
    const isNews = isWaiting === (activity === 'rests');
    isWaiting = activity !== 'rests';
    if (activity === 'works' || isNews) tabs.tell([records.own, activity]);
  }

  /** Writes what was added. New records are not stored if storage was cleared meanwhile; restored ones are restored again. */
  async function save(added: readonly PageRecord[], areNew: boolean): Promise<void> {
    try {
      await run('store events', () => records.write(), areNew);
    } catch (error) {
      for (const record of added) record.life.records.release(record);
      records.disown(added);
      throw error;
    }
    for (const record of added) record.isStored = true;
  }

  /** Tells of events of another life. @param lease The last one of them. */
  function find(record: PageRecord, parts: readonly Span[], lease?: Lease): void {
    const { segment, id } = record.life;
    const isTaken = lease && lease.wasAlive >= taken;
    record.known = [...record.known, ...parts];
    for (const { from, to } of parts) {
      observer?.recovered({ segment, from, to }, undefined, isTaken === false);
      if (isTaken) settle(id, from, to, 'delivered', true);
    }
  }

  /** Events of a life came to their end. @param isKept Whether storage may still have them. */
  function settle(id: string, from: number, to: number, fate: Fate, isKept = records.wasCleared): void {
    const life = records.lifeOf(id);
    const range = { segment: life.segment, from, to };
    const changed = life.records.release(range);
    observer?.settled?.(range, fate);
    // After another page deleted them, they may have been stored again.
    if (isKept) records.release(changed).catch(() => undefined);
  }

  function forget(): void {
    records.forget();
    for (const { segment } of records.lives) observer?.vanished?.(allOf(segment));
  }

  /** @param isKept Rejects also where storage was cleared meanwhile: what was written went with it. */
  async function run<Result>(what: string, action: () => Promise<Result>, isKept = false): Promise<Result> {
    const { lives } = records;
    try {
      const result = await action();
      if (isKept && lives !== records.lives) throw new StorageError('storage was cleared');
      fails = false;
      return result;
    } catch (cause) {
      fails = lives === records.lives;
      throw storageError(`cannot ${what} in IndexedDB`, cause);
    }
  }

  const journal: IndexedDbJournal = {
    survives: true,
    // Records of this size are written fastest, and stay below the size at which browsers move values to files.
    groupLimit: { maxEvents: 500, maxBytes: 48 * 1024 },
    get sharing() {
      return journal;
    },
    get pause() {
      return pause;
    },
    get kind() {
      return fails ? 'memory' : 'indexeddb';
    },
    // A transaction costs as much as what is in it. In a hidden page timers come late.
    get gatherMs() {
      return isHidden() ? 0 : FRAME_MS;
    },
    get isLeft() {
      return records.isLeft;
    },
    get bytes() {
      return records.lives.reduce((total, { records }) => total + records.bytes, 0);
    },
    open(listening) {
      observer = listening;
      tabs.open();
      return search();
    },
    async append(events) {
      if (closed) throw new ClosedError('append() was called after close()');
      const from = next;
      // At once: another append may be called before this one is stored.
      next += events.ends.length;
      const record = records.add(records.lifeOf(records.own), from, events);
      await save([record], true);
      tell('waits');
      return rangeOf(record);
    },
    // Each event by itself: however others hold them, they write the same record, which is there once, and goes once.
    async restore(lost) {
      const restored: PageRecord[] = [];
      for (const { events, range } of lost) {
        const life = records.lives[range.segment - 1];
        for (let { from } = range; life && from < range.to; from += 1) {
          const event = sliceEvents(events, from - range.from, { maxEvents: 1, maxBytes: 0 });
          restored.push(records.add(life, from, event));
        }
      }
      await save(restored, false);
    },
    together: (work) => records.together(work),
    async read(range, limit) {
      await leasing;
      const life = records.lives[range.segment - 1];
      const wanted = life?.records.within(range, limit) ?? [];
      // Not as if it had been lost: some of what storage lost is stored again.
      const found = await run('read events', () => records.read(wanted), true);
      const pieces = found.flatMap((one) => one.pieces);
      const events = readPieces(range, limit, pieces);
      let to = range.from + events.ends.length;
      if (to === range.from) {
        const others = life?.records.all.filter(({ rest }) => rest.length > 0) ?? [];
        const rest = [...pieces, ...others].find(({ from }) => from > range.from);
        to = Math.min(range.to, rest?.from ?? range.to);
        if (found[0]?.isDamaged) observer?.damaged(name, wanted[0]?.bytes ?? 0);
        // Another page saw to them, perhaps while they were in a request of this one.
        else if (life) settle(life.id, range.from, to, 'delivered');
      }
      return { events, range: { ...range, to } };
    },
    acknowledge,
    // One record, of other lives first, whatever the priority of its events.
    async evictOldest() {
      const record = records.oldest;
      if (!record) return undefined;
      const range = rangeOf(record);
      observer?.settled?.(range, 'journal-full');
      await acknowledge(range, 'journal-full');
      return true;
    },
    async sync() {
      await run('sync events', () => store.sync(), true);
    },
    hold: tabs.hold,
    refresh,
    setPause,
    lease(ranges, forMs, isAppending) {
      // Without a lease, another page may send the events as well.
      leasing = records.lease(ranges, forMs, isAppending).catch(() => undefined);
    },
    tell,
    listen(next) {
      listener = next;
    },
    async close() {
      closed = true;
      searching.stop();
      tabs.close();
      store.close();
    },
  };
  return journal;
}
