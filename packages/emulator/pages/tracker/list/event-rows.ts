import { signal } from '@preact/signals';
import type { TrackerRow, TrackerRows } from '../../../src/admin/contract.ts';
import { ask } from '../../shell/asking/ask.ts';
import { type EventFilter, isOpen, keysOf, trackerPath } from '../filter/event-filter.ts';

const AT_ONCE = 50;
const MOST_KEPT = 3_000;
/** Number of placeholders for rows that have not been read yet. */
const YET_TO_READ = 20;

/**
 * The rows of a list of events, newest first. They begin at the event that was the newest at the last renewal, and do not move
 * until the next one. It requests only the rows in view, and keeps them for a while. Without a filter, any index can be reached
 * at once, because ids increase by one. With a filter, the list is read on from the newest event. A component that reads it
 * renders again when it changes, as with a signal.
 */
export class EventRows {
  readonly #filter: EventFilter;
  readonly #isAll: boolean;
  readonly #changes = signal(0);
  readonly #over = new AbortController();
  /** By id; undefined for an event that was removed. */
  readonly #rows = new Map<number, TrackerRow | undefined>();
  /** With a filter: the matching ids that were read so far, and `before` of the next page. */
  #ids: readonly number[] = [];
  #next: number | null = null;
  #newest = 0;
  #previousNewest = 0;
  #renewals = 0;
  #wanted: readonly [first: number, last: number] = [0, 0];
  #isAsking = false;
  #error: unknown;

  constructor(filter: EventFilter) {
    this.#filter = filter;
    this.#isAll = isOpen(filter);
  }

  /** The keys of payloads that are shown in columns. */
  get keys(): readonly string[] {
    return keysOf(this.#filter);
  }

  /** The words that are searched. */
  get text(): string {
    return this.#filter.text ?? '';
  }

  /** Id of the newest event at the last renewal; 0 if there was none. */
  get newest(): number {
    void this.#changes.value;
    return this.#newest;
  }

  /** The same for the renewal before. */
  get previousNewest(): number {
    return this.#previousNewest;
  }

  /** Whether no renewal has ended yet. */
  get isNew(): boolean {
    void this.#changes.value;
    return this.#renewals === 0;
  }

  /** Whether the list was read to its end. */
  get isComplete(): boolean {
    void this.#changes.value;
    return this.#next === null;
  }

  /** Why the last requested rows did not arrive. */
  get error(): unknown {
    void this.#changes.value;
    return this.#error;
  }

  /** The number of rows, as far as it is known. `oldest` is the id of the oldest event of all. */
  length(oldest: number): number {
    void this.#changes.value;
    if (!this.#isAll) return this.#ids.length + (this.#next === null ? 0 : YET_TO_READ);
    return this.#newest === 0 ? 0 : Math.max(0, this.#newest - oldest + 1);
  }

  /** The row at an index; undefined until it has arrived. */
  row(index: number): TrackerRow | undefined {
    void this.#changes.value;
    const id = this.#idAt(index);
    return id === undefined ? undefined : this.#rows.get(id);
  }

  /** The index of an event; undefined if it is not known to be in the list. */
  indexOf(id: number): number | undefined {
    const index = this.#isAll ? this.#newest - id : this.#ids.indexOf(id);
    return index < 0 ? undefined : index;
  }

  /** Id of the event `step` rows below another one; undefined if there is none, or if it is not known. */
  neighbour(id: number, step: number, oldest: number): number | undefined {
    const index = this.indexOf(id);
    const other = index === undefined ? undefined : this.#idAt(index + step);
    return other === undefined || other < oldest ? undefined : other;
  }

  /** Says which rows are in view, so that they are requested. */
  want(first: number, last: number): void {
    this.#wanted = [first, last];
    void this.#fill();
  }

  /** Starts again at the newest event, whose id is `newest` or a little more. */
  async renew(newest: number): Promise<void> {
    try {
      await this.#renew(newest);
      this.#error = undefined;
    } catch (error) {
      this.#error = error;
    }
    if (this.#over.signal.aborted) return;
    this.#renewals += 1;
    this.#changes.value += 1;
    void this.#fill();
  }

  /** How many newer events match: at most one page, 50. */
  async countNewer(): Promise<number> {
    const { rows } = await this.#ask();
    return rows.filter(({ id }) => id > this.#newest).length;
  }

  /** Stops all requests. */
  close(): void {
    this.#over.abort();
  }

  async #renew(newest: number): Promise<void> {
    const first = await this.#ask();
    let { next } = first;
    const ids = first.rows.map(({ id }) => id);
    // The rows that were read before stay, if the new rows reach them.
    while (!this.#isAll && !this.isNew && next !== null && next > this.#newest + 1 && ids.length < AT_ONCE) {
      const page = await this.#ask(next);
      ids.push(...page.rows.map(({ id }) => id));
      next = page.next;
    }
    if (!this.#isAll && !this.isNew && next !== null && next <= this.#newest + 1) {
      const reached = next;
      ids.push(...this.#ids.filter((id) => id < reached));
      next = this.#next === null ? null : Math.min(this.#next, reached);
    }
    this.#previousNewest = this.#newest;
    this.#newest = this.#isAll ? (ids[0] ?? 0) : Math.max(newest, ids[0] ?? 0);
    this.#ids = this.#isAll ? [] : ids;
    this.#next = this.#isAll ? null : next;
  }

  async #fill(): Promise<void> {
    if (this.#isAsking || this.isNew) return;
    this.#isAsking = true;
    try {
      let done: readonly [number, number];
      do {
        done = this.#wanted;
        while (await this.#fillOnce()) this.#changes.value += 1;
      } while (done !== this.#wanted); // other rows came into view meanwhile
    } catch (error) {
      if (this.#over.signal.aborted) return;
      this.#error = error;
      this.#changes.value += 1;
    } finally {
      this.#isAsking = false;
    }
  }

  /** Requests the first missing rows in view. Returns whether there were any. */
  async #fillOnce(): Promise<boolean> {
    const [first, last] = this.#wanted;
    for (let index = first; index <= last; index += 1) {
      const id = this.#idAt(index);
      if (id === undefined) return this.#readOn();
      if (this.#rows.has(id)) continue;
      await this.#ask(id + 1);
      if (!this.#rows.has(id)) this.#keep(id, undefined);
      return true;
    }
    return false;
  }

  async #readOn(): Promise<boolean> {
    if (this.#isAll || this.#next === null) return false;
    const from = this.#next;
    const { rows, next } = await this.#ask(from);
    if (from !== this.#next) return true; // renewed meanwhile
    this.#ids = [...this.#ids, ...rows.map(({ id }) => id)];
    this.#next = next;
    return true;
  }

  async #ask(before?: number): Promise<TrackerRows> {
    const more = before === undefined ? undefined : { before: String(before) };
    const path = trackerPath('', this.#filter, { ...more, limit: String(AT_ONCE) });
    const answer = await ask<TrackerRows>(path, { signal: this.#over.signal });
    for (const row of answer.rows) this.#keep(row.id, row);
    return answer;
  }

  #keep(id: number, row: TrackerRow | undefined): void {
    this.#rows.delete(id);
    this.#rows.set(id, row);
    const [oldest] = this.#rows.keys();
    if (this.#rows.size > MOST_KEPT && oldest !== undefined) this.#rows.delete(oldest);
  }

  #idAt(index: number): number | undefined {
    if (!this.#isAll) return this.#ids[index];
    return index >= 0 && index < this.#newest ? this.#newest - index : undefined;
  }
}
