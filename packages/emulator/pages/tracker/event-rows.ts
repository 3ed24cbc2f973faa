import type { TrackerRow, TrackerRows } from '../../src/admin/contract.ts';
import { ask } from '../shell/ask.ts';
import { type EventFilter, isOpen, trackerPath } from './event-filter.ts';

const CHUNK = 50;
const MOST_CHUNKS = 60;

/**
 * The rows of a list of events, newest first. They begin at the event that was the newest when they were last renewed, and
 * stand still until then. Only what is looked at is asked for, and kept for a while. Without a filter any place is reached
 * at once, since ids count up by one; with one, the rows are read on from the newest.
 */
export class EventRows {
  readonly #filter: EventFilter;
  readonly #changed: () => void;
  readonly #chunks = new Map<number, readonly TrackerRow[]>();
  /** With a filter: the last id of each chunk, as far as they have been read. */
  #ends: number[] = [];
  #length: number | undefined;
  #newest = 0;
  #previousNewest = 0;
  #generation = 0;
  #wanted: readonly [first: number, last: number] = [0, 0];
  #isAsking = false;
  #error: unknown;

  /** `changed` is called when rows have arrived. */
  constructor(filter: EventFilter, changed: () => void) {
    this.#filter = filter;
    this.#changed = changed;
  }

  /** Id of the newest event; 0 where there is none. */
  get newest(): number {
    return this.#newest;
  }

  /** Id of what was the newest before the rows were last renewed; 0 where there was none. */
  get previousNewest(): number {
    return this.#previousNewest;
  }

  /** Whether the newest have not been asked for yet. */
  get isNew(): boolean {
    return this.#generation === 0;
  }

  /** Why the last rows that were asked for did not come. */
  get error(): unknown {
    return this.#error;
  }

  /** Whether all rows are known to be counted by `length()`. */
  get isComplete(): boolean {
    return this.#length !== undefined || isOpen(this.#filter);
  }

  /** How many rows there are, as far as is known. `oldest` is the id of the oldest event of all. */
  length(oldest: number): number {
    const known = this.#length ?? Number.POSITIVE_INFINITY;
    const guess = isOpen(this.#filter) ? this.#newest - oldest + 1 : (this.#ends.length + 1) * CHUNK;
    return this.#newest === 0 ? 0 : Math.max(0, Math.min(known, guess));
  }

  /** The row at a place; undefined until it has come. */
  row(index: number): TrackerRow | undefined {
    return this.#chunks.get(Math.floor(index / CHUNK))?.[index % CHUNK];
  }

  /** The place of an event; undefined where it is not known to be in the list. */
  indexOf(id: number): number | undefined {
    if (isOpen(this.#filter)) return id > this.#newest ? undefined : this.#newest - id;
    for (const [chunk, rows] of this.#chunks) {
      const index = rows.findIndex((row) => row.id === id);
      if (index >= 0) return chunk * CHUNK + index;
    }
    return undefined;
  }

  /** Id of the event `step` places below `id`; undefined where it is not known. */
  neighbour(id: number, step: number, oldest: number): number | undefined {
    if (isOpen(this.#filter)) {
      const next = id - step;
      return next < oldest || next > this.#newest ? undefined : next;
    }
    const index = this.indexOf(id);
    return index === undefined || index + step < 0 ? undefined : this.row(index + step)?.id;
  }

  /** Says which rows are looked at, so that they are asked for. */
  want(first: number, last: number): void {
    this.#wanted = [first, last];
    void this.#fill();
  }

  /** Begins anew at the newest event. Resolves to whether it could. */
  async renew(signal: AbortSignal): Promise<boolean> {
    try {
      const { rows, hasMore } = await this.#ask({}, signal);
      this.#generation += 1;
      this.#error = undefined;
      this.#chunks.clear();
      this.#ends = [];
      this.#length = undefined;
      this.#previousNewest = this.#newest;
      this.#newest = rows[0]?.id ?? 0;
      this.#keep(0, rows, hasMore);
      this.#changed();
      void this.#fill();
      return true;
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
      return false;
    }
  }

  /** How many newer ones match, at most as many as are asked for at once. */
  async countNewer(signal: AbortSignal): Promise<number> {
    const { rows } = await this.#ask({}, signal);
    return rows.filter(({ id }) => id > this.#newest).length;
  }

  async #fill(): Promise<void> {
    if (this.#isAsking || this.isNew) return;
    this.#isAsking = true;
    try {
      for (;;) {
        const chunk = this.#missing();
        if (chunk === undefined) return;
        const generation = this.#generation;
        const { rows, hasMore } = await this.#ask({ before: String(this.#before(chunk)) });
        if (generation !== this.#generation) continue;
        this.#error = undefined;
        this.#keep(chunk, rows, hasMore);
        this.#changed();
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isAsking = false;
    }
  }

  /** The first chunk that is looked at and not there; with a filter, perhaps one before it that leads to it. */
  #missing(): number | undefined {
    const [first, last] = this.#wanted;
    const end = Math.min(last, (this.#length ?? Number.POSITIVE_INFINITY) - 1);
    for (let chunk = Math.floor(first / CHUNK); chunk <= Math.floor(end / CHUNK); chunk += 1) {
      if (this.#chunks.has(chunk)) continue;
      return isOpen(this.#filter) ? chunk : Math.min(chunk, this.#ends.length);
    }
    return undefined;
  }

  #before(chunk: number): number {
    if (isOpen(this.#filter)) return this.#newest + 1 - chunk * CHUNK;
    return chunk === 0 ? this.#newest + 1 : (this.#ends[chunk - 1] ?? 0);
  }

  #keep(chunk: number, rows: readonly TrackerRow[], hasMore: boolean): void {
    this.#chunks.set(chunk, rows);
    const [oldest] = this.#chunks.keys();
    if (this.#chunks.size > MOST_CHUNKS && oldest !== undefined) this.#chunks.delete(oldest);
    const last = rows.at(-1);
    if (!hasMore) this.#length = chunk * CHUNK + rows.length;
    else if (chunk === this.#ends.length && last !== undefined) this.#ends.push(last.id);
  }

  #ask(more: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<TrackerRows> {
    const path = trackerPath('', this.#filter, { ...more, limit: String(CHUNK) });
    return ask<TrackerRows>(path, signal && { signal });
  }

  #fail(error: unknown): void {
    this.#error = error;
    this.#changed();
  }
}
