import type { Catalogue } from '../admin/contract.ts';
import { type Database, isoTime, unescapeText } from '../storage/database.ts';
import type { Extent } from '../storage/event-store.ts';

const CATALOGUE_MS = 500;
/** The payloads of so many of the newest events are read. */
const READ = 20_000;
const READ_AT_ONCE = 256;
const COUNTED_AT_ONCE = 8_192;
const LONGEST_BODY = 64 * 1024;
const MOST_NAMES = 1_000;
const MOST_KEYS = 200;
const DEEPEST = 4;

type Counted = [name: string, count: number, firstAt: number, lastAt: number];

interface Entry {
  count: number;
  firstAt: number;
  lastAt: number;
  read: number;
  readonly keys: Map<string, Map<string, number>>;
}

/** Lists the names of events and the keys of their payloads, beginning with the newest event, for a limited time. */
export async function listCatalogue(
  database: Database,
  { oldest, newest }: Extent,
  now: () => number,
  endTurn: () => Promise<void>,
): Promise<Catalogue> {
  const counted = `SELECT name, count(*), min(received_at), max(received_at) FROM events
    WHERE id BETWEEN ? AND ? GROUP BY name`;
  const bodies = `SELECT name, body FROM events WHERE id BETWEEN ? AND ? AND octet_length(body) <= ${LONGEST_BODY}`;
  const ends = now() + CATALOGUE_MS;
  const entries = new Map<string, Entry>();
  let top = newest;
  while (top >= oldest && (top === newest || now() < ends)) {
    const isRead = newest - top < READ;
    const bottom = Math.max(oldest, top + 1 - (isRead ? READ_AT_ONCE : COUNTED_AT_ONCE));
    for (const row of database.arrays<Counted>(counted, bottom, top)) count(entries, row);
    const payloads = isRead ? database.arrays<[name: string, body: string]>(bodies, bottom, top) : [];
    for (const [name, body] of payloads) read(entries.get(name), body);
    top = bottom - 1;
    await endTurn();
  }
  const found = Array.from(entries, ([name, entry]) => ({
    name: unescapeText(name),
    count: entry.count,
    firstAt: isoTime(entry.firstAt),
    lastAt: isoTime(entry.lastAt),
    read: entry.read,
    keys: Array.from(entry.keys, ([path, types]) => {
      const count = Array.from(types.values()).reduce((sum, each) => sum + each);
      return { path, count, types: Object.fromEntries(types) };
    }),
  }));
  return {
    entries: found.sort((one, other) => other.count - one.count),
    counted: newest - top,
    isExact: top < oldest,
  };
}

function count(entries: Map<string, Entry>, [name, count, firstAt, lastAt]: Counted): void {
  const entry = entries.get(name);
  if (entry) {
    entry.count += count;
    entry.firstAt = Math.min(entry.firstAt, firstAt);
    entry.lastAt = Math.max(entry.lastAt, lastAt);
  } else if (entries.size < MOST_NAMES) {
    entries.set(name, { count, firstAt, lastAt, read: 0, keys: new Map() });
  }
}

function read(entry: Entry | undefined, body: string): void {
  if (entry === undefined) return;
  entry.read += 1;
  const { payload } = JSON.parse(body);
  if (typeOf(payload) === 'object') note(entry.keys, payload, '', 1);
}

/** Counts the keys of an object, and of the objects in it. */
function note(keys: Entry['keys'], object: object, start: string, depth: number): void {
  for (const [key, value] of Object.entries(object)) {
    const path = start + (/^[\p{L}\p{N}_$-]+$/u.test(key) ? key : JSON.stringify(key));
    const types = keys.get(path) ?? new Map<string, number>();
    if (types.size === 0) {
      if (keys.size >= MOST_KEYS) continue;
      keys.set(path, types);
    }
    const type = typeOf(value);
    types.set(type, (types.get(type) ?? 0) + 1);
    if (type === 'object' && depth < DEEPEST) note(keys, value, `${path}.`, depth + 1);
  }
}

/** The type of JSON. */
function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
