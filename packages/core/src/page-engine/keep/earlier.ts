import { type Clock, inTime, tried } from '@sluice/protocol/toolbox';
import { promisifyRequest } from 'idb-keyval';
import { type EventBytes, splitEvents } from '../../base/event-bytes.ts';
import { outside, type Span } from '../../base/range.ts';
import type { AccountNames } from '../../keep/account.ts';
import { IndexedDbStore } from '../../keep/page/indexeddb-store.ts';
import { databaseName } from '../../keep/page/origin.ts';
import { type EventKey, isPiece, LEASE, readKeys, SENT } from '../../keep/page/page-record.ts';
import { createSpill } from '../../keep/page/spill.ts';
import { storedLock } from '../../keep/page/stored-lock.ts';
import type { Meeting } from '../../keep/page/tabs.ts';
import { EARLIER, isString, LEAST_TIME, LETTER, MOVED, NO_SESSION, NOTE, SECRET } from './parcel.ts';
import { byteLength } from './parcels.ts';
import type { Put } from './spill.ts';

/** So long after the first look a page of an earlier version may still be open. */
const KEPT_MS = 30 * 24 * 3_600_000;
const AT_ONCE = 50;
const PATIENCE_MS = 10_000;
const LEAST_SESSION = /^\{"session":"([^"]*)",/;
/** The databases of an earlier version. */
const SESSION = 'session';
const PARTS = ['', 'unidentified', 'dead-letters', SESSION] as const;
type RecordsPart = Exclude<(typeof PARTS)[number], typeof SESSION>;

interface Part extends Span {
  readonly texts: readonly string[];
  readonly at: number;
  /** Of a lease that has ended. */
  readonly wasAlive?: number;
}

/** What becomes of a part of a record. */
const PUTS: Record<RecordsPart, (life: string, part: Part) => Put[]> = {
  '': (life, part) => parcelOf(life, part, ''),
  unidentified(life, { from, to, texts, at }) {
    const puts: Put[] = [];
    for (let start = 0; start < to - from; ) {
      const [, session = ''] = LEAST_SESSION.exec(texts[start] ?? '') ?? [];
      const mark = `{"session":"${session}",`;
      const end = texts.findIndex((text, index) => index > start && !text.startsWith(mark));
      const own = texts.slice(start, end < 0 ? undefined : end).map((text) => `{${text.slice(mark.length)}`);
      puts.push(
        ...parcelOf(life, { from: from + start, to, texts: own, at }, session === '' ? NO_SESSION : session),
      );
      start += own.length;
    }
    return puts;
  },
  'dead-letters': (_life, { texts }) =>
    texts.flatMap((text) => {
      const { id, at } = Object(tried(() => JSON.parse(text)));
      return isString(id) && isString(at) ? [[[LETTER, Date.parse(at), id, text.length], text] as const] : [];
    }),
};

function parcelOf(life: string, { from, texts, at, wasAlive }: Part, session: string): Put[] {
  const bytes = texts.reduce((total, text) => total + byteLength(text) + 1, 0);
  const puts: Put[] = [[[life, from + 1, texts.length, bytes, at, session], texts]];
  if (wasAlive !== undefined) puts.push([[life, from + 1, LEAST_TIME, 0, wasAlive], 0]);
  return puts;
}

/**
 * Moves into the database what pages with an earlier version left in theirs. Such a page may still be open: it takes what is gone
 * for delivered. Each record is moved once, also where a page ends in between: a mark says what is here already.
 *
 * @param until From an earlier look.
 * @returns Whether nothing is left there.
 */
export async function moveEarlier(
  account: AccountNames,
  store: IndexedDbStore,
  clock: Clock,
  { createChannel, locks }: Meeting,
  until: number | undefined,
): Promise<boolean> {
  const inPatience = <Result>(work: Promise<Result>) =>
    inTime(clock, work, PATIENCE_MS, () => new Error('the browser did not answer'));
  const listed = indexedDB.databases && (await inPatience(indexedDB.databases()));
  const names = listed?.map(({ name }) => name);
  const found = PARTS.filter((part) => names?.includes(databaseName(account, part)) !== false);
  let isAll = true;
  for (const part of found) {
    const name = databaseName(account, part);
    const earlier = new IndexedDbStore(name, clock, () => {});
    const work = async (lock: object | null) =>
      lock !== null && (part === SESSION ? moveSession(earlier) : moveRecords(earlier, name, part));
    // As the pages of that version do: nobody moves what another one moves or sends.
    const alone = async (lock: object | null) =>
      lock !== null && storedLock(earlier, clock).request(name, { ifAvailable: true }, work);
    // Some browsers have locks that they never grant.
    const asked = locks ? locks.request(name, { ifAvailable: true }, alone) : alone({});
    const isDone = await inPatience(asked).finally(() => earlier.close());
    isAll &&= isDone;
  }
  const isOver = found.length === 0 || (isAll && until !== undefined && until < clock.now());
  if (isOver) for (const part of found) indexedDB.deleteDatabase(databaseName(account, part));
  const next = isOver ? 0 : (until ?? clock.now() + KEPT_MS);
  if (next !== until) await store.use('readwrite', (objects) => void objects.put(0, [EARLIER, next]));
  return isAll;

  async function moveSession(earlier: IndexedDbStore): Promise<boolean> {
    const { result } = await earlier.use('readonly', (objects) => objects.get(NOTE));
    const { result: secret } = await earlier.use('readonly', (objects) => objects.get(SECRET));
    if (typeof result !== 'string') return true;
    await store.use('readwrite', async (objects) => {
      const own = await promisifyRequest(objects.getKey(NOTE));
      if (own !== undefined) return own;
      objects.put(result.replace(/^(?= |$)/, NO_SESSION), NOTE);
      if (secret) objects.put(secret, SECRET);
      return own;
    });
    return true;
  }

  async function moveRecords(earlier: IndexedDbStore, name: string, part: RecordsPart): Promise<boolean> {
    const spill = createSpill(name);
    const spilled = spill.read();
    if (spilled.length > 0)
      await earlier.use('readwrite', (objects) => {
        for (const { key, value } of spilled) objects.put(value, key);
      });
    for (const put of spilled) spill.remove(put);
    const { result: keys } = await earlier.use('readonly', (objects) => objects.getAllKeys());
    const { records } = readKeys(keys, clock.now());
    const free = records.filter(({ leases }) => leases.every(({ isRunning }) => !isRunning));
    const moved: EventKey[] = [];
    for (let moving = free.splice(0, AT_ONCE); moving.length > 0; moving = free.splice(0, AT_ONCE)) {
      const values = await earlier.use('readonly', (objects) =>
        Promise.all(moving.map(({ key }) => promisifyRequest<unknown>(objects.get(key)))),
      );
      const puts = moving.map(({ key, leases }, index) => {
        const value = values[index];
        const parts = isPiece(value) ? partsOf(key, value, leases) : [];
        return { mark: [MOVED, part, ...key], puts: parts.flatMap((one) => PUTS[part](key[0], one)) };
      });
      await store.use('readwrite', async (objects) => {
        for (const { mark, puts: own } of puts) {
          if ((await promisifyRequest(objects.getKey(mark))) !== undefined) continue;
          objects.put(0, mark);
          for (const [key, value] of own) objects.put(value, key);
        }
        return puts;
      });
      await store.sync();
      await earlier.use('readwrite', (objects) => {
        for (const { key } of moving) objects.delete(key);
      });
      moved.push(...moving.map(({ key }) => key));
      await store.use('readwrite', (objects) => {
        for (const { mark } of puts) objects.delete(mark);
      });
    }
    if (moved.length > 0) {
      const channel = createChannel?.(name);
      for (const key of moved) channel?.postMessage([...key.slice(0, 3), 'delivered']);
      channel?.close();
    }
    const isAll = records.every(({ leases }) => leases.every(({ isRunning }) => !isRunning));
    const ended = keys.filter((key) => Array.isArray(key) && key[3] === LEASE && key[6] !== SENT);
    if (isAll && ended.length > 0)
      await earlier.use('readwrite', (objects) => {
        for (const key of ended) objects.delete(key);
      });
    return isAll;
  }
}

/** A record, cut where its leases begin and end. Without what a service worker sent. */
function partsOf(
  [, from, to]: EventKey,
  value: EventBytes,
  leases: readonly (Span & { readonly wasAlive: number })[],
): Part[] {
  const texts = splitEvents(value).map((text) => new TextDecoder().decode(text));
  const parts: Part[] = [];
  let left: readonly Span[] = [{ from, to }];
  const add = (spans: readonly Span[], wasAlive?: number) => {
    for (const span of spans)
      parts.push({
        ...span,
        texts: texts.slice(span.from - from, span.to - from),
        at: value.times?.[span.from - from] || 1,
        ...(wasAlive !== undefined && { wasAlive }),
      });
  };
  for (const lease of leases) {
    const others = outside(left, [lease]);
    if (lease.wasAlive !== SENT) add(outside(left, others), lease.wasAlive);
    left = others;
  }
  add(left);
  return parts;
}
