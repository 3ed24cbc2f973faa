import { signal } from '@preact/signals';

/** How many rows to ask for. */
export const AT_ONCE = 100;
const MOST_KEPT = 3_000;
/** Number of placeholders for rows that have not been read yet. */
const YET_TO_READ = 20;
/** New rows are pointed out only if they are few. If all rows are new all the time, that would only flicker. */
const MOST_POINTED_OUT = 10;

/** The part of a row that its list needs. */
export interface Identified {
  readonly id: number;
}

/** Where the rows of a list come from. */
export interface Source<Row> {
  /**
   * Reads rows. If `total` is known, `from` is the index of the first one. If not, the list is read on from its end: `from` is
   * `next` of the part before, and 0 at first.
   */
  readonly read: (from: number, signal: AbortSignal) => Promise<Part<Row>>;
  /** The index of a row that may not have been read. */
  readonly indexOf?: (id: number) => number;
}

export interface Part<Row> {
  readonly rows: readonly Row[];
  readonly total?: number;
  /** Where the next part begins; null if this is the last one. */
  readonly next?: number | null;
}

interface State<Row> {
  /** By index. Those that have not been read are missing; one that was removed meanwhile is undefined. */
  readonly rows: ReadonlyMap<number, Row | undefined>;
  /** How many there are, as far as that is known; undefined until the first answer. */
  readonly length?: number;
  /** Whether the list has no more rows than these. */
  readonly isComplete: boolean;
  /** All rows that came after the last renewal have a higher id, if the newest come first. */
  readonly newest: number;
  /** Rows with a higher id have only just come. */
  readonly newAfter: number;
  /** Why the last requested rows did not arrive. */
  readonly error?: unknown;
}

/**
 * The rows of a list. It requests only those in view, one request at a time. They do not move until the list is renewed. A
 * component that reads `state` renders again when it changes.
 */
export class Rows<Row extends Identified> {
  readonly #source: Source<Row>;
  readonly #over = new AbortController();
  readonly #state = signal<State<Row>>({
    rows: new Map(),
    isComplete: false,
    newest: 0,
    newAfter: Number.POSITIVE_INFINITY,
  });
  /** If there is no total: where to read on. */
  #end: number | null | undefined;
  #wanted: readonly [first: number, last: number] = [0, 0];
  /** The newest id when a renewal was asked for; undefined if none is due. */
  #due: number | undefined;
  #restsUntil = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isBusy = false;

  constructor(source: Source<Row>) {
    this.#source = source;
  }

  get state(): State<Row> {
    return this.#state.value;
  }

  /** The index of a row; undefined if it is not known to be in the list. */
  indexOf(id: number): number | undefined {
    const index = this.#source.indexOf?.(id);
    if (index !== undefined) return index < 0 ? undefined : index;
    for (const [at, row] of this.state.rows) if (row?.id === id) return at;
    return undefined;
  }

  /** Id of the row `step` rows below another one; undefined if it is not known. */
  neighbour(id: number, step: number): number | undefined {
    const index = this.indexOf(id);
    return index === undefined ? undefined : this.state.rows.get(index + step)?.id;
  }

  /** Says which rows are in view, so that they are requested. */
  want(first: number, last: number): void {
    this.#wanted = [first, last];
    void this.#work();
  }

  /** Reads the rows in view again. The old ones stay until the answer. `newest` is the newest id of all, if it is known. */
  renew(newest = 0): void {
    this.#due = newest;
    void this.#work();
  }

  /** Stops all requests. */
  close(): void {
    clearTimeout(this.#timer);
    this.#over.abort();
  }

  async #work(): Promise<void> {
    if (this.#isBusy || this.#over.signal.aborted) return;
    this.#isBusy = true;
    try {
      for (let work = this.#next(); work !== undefined; work = this.#next()) await work();
    } catch (error) {
      if (!this.#over.signal.aborted) this.#state.value = { ...this.#state.peek(), error };
    }
    this.#isBusy = false;
  }

  /** What to request next; undefined if nothing is missing. */
  #next(): (() => Promise<void>) | undefined {
    const newest = this.#due;
    const rest = this.#restsUntil - performance.now();
    if (newest !== undefined && rest <= 0) {
      this.#due = undefined;
      return () => this.#renew(newest);
    }
    if (newest !== undefined) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#work(), rest);
    }
    const missing = this.#missing();
    return missing === undefined ? undefined : () => this.#readOn(missing);
  }

  async #readOn(missing: number): Promise<void> {
    const { rows } = this.#state.peek();
    if (this.#end === undefined) {
      const part = await this.#read(missing);
      const kept = placed(rows.size > MOST_KEPT ? [] : rows, missing, part.rows);
      // A row that was removed meanwhile is not asked for again.
      this.#show(kept.has(missing) ? kept : kept.set(missing, undefined), part.total);
    } else {
      const part = await this.#read(this.#end ?? 0);
      this.#end = part.next ?? null;
      this.#show(placed(rows, rows.size, part.rows));
    }
  }

  async #renew(newest: number): Promise<void> {
    const before = this.#state.peek();
    const isIndexed = before.length !== undefined && this.#end === undefined;
    const first = isIndexed ? this.#wanted[0] : 0;
    const startedAt = performance.now();
    const part = await this.#read(first);
    const rows = [...part.rows];
    let { next } = part;
    if (this.#end !== undefined) {
      // The rows that were read before stay, if the new rows reach them.
      while (typeof next === 'number' && next > before.newest + 1 && rows.length < AT_ONCE) {
        const more = await this.#read(next);
        rows.push(...more.rows);
        next = more.next;
      }
      if (typeof next === 'number' && next <= before.newest + 1) {
        const reached = next;
        for (const row of before.rows.values()) if (row !== undefined && row.id < reached) rows.push(row);
        next = this.#end === null ? null : Math.min(this.#end, reached);
      }
    }
    this.#end = next;
    // It rests as long as the answer took, so that a slow search is rare.
    this.#restsUntil = 2 * performance.now() - startedAt;
    const isFew = rows.filter(({ id }) => id > before.newest).length <= MOST_POINTED_OUT;
    this.#show(placed([], first, rows), part.total, {
      newest: Math.max(newest, rows[0]?.id ?? 0),
      newAfter: before.newest > 0 && isFew ? before.newest : Number.POSITIVE_INFINITY,
    });
  }

  #read(from: number): Promise<Part<Row>> {
    return this.#source.read(from, this.#over.signal);
  }

  #show(rows: State<Row>['rows'], total?: number, more?: Pick<State<Row>, 'newest' | 'newAfter'>): void {
    const isComplete = typeof this.#end !== 'number';
    const length = total ?? rows.size + (isComplete ? 0 : YET_TO_READ);
    const { newest, newAfter } = this.#state.peek();
    this.#state.value = { newest, newAfter, ...more, rows, length, isComplete };
  }

  /** The first row in view that is missing. */
  #missing(): number | undefined {
    const [first, last] = this.#wanted;
    const { rows, length = 0 } = this.#state.peek();
    for (let index = first; index <= Math.min(last, length - 1); index += 1)
      if (!rows.has(index)) return index;
    return undefined;
  }
}

function placed<Row>(
  before: Iterable<[number, Row | undefined]>,
  first: number,
  rows: readonly Row[],
): Map<number, Row | undefined> {
  const placed = new Map(before);
  for (const [at, row] of rows.entries()) placed.set(first + at, row);
  return placed;
}
