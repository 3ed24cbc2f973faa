import { StorageError } from '../base/errors/storage-error.ts';
import type { EventBytes } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';

/** Events that are given to the journal in one append. */
export interface Entry {
  readonly events: EventBytes;
  /** Whether they are given up last if the journal is full. */
  readonly isLast: boolean;
  /** The journal has them. Returns the range if nobody needs it any more, because the events ended meanwhile. */
  placed(range: Range): Range | undefined;
  /** The append failed: they are unwritten again. */
  handBack(): void;
  /** The journal is full: they end. Returns how many had not ended before. */
  drop(): number;
}

/** Called when an append ends: one of the first three, and `over` last. */
export interface AppendEnd {
  readonly written: (range: Range) => void;
  readonly failed: (error: unknown) => void;
  /** It has written events that others have seen to after `takeOver()`: nobody needs this copy. */
  readonly unneeded: (range: Range) => void;
  readonly over: () => void;
}

/** The appends in progress, in the order in which they started. */
export class Appends {
  readonly #entries = new Set<Entry>();
  #next: { readonly ended: Promise<void>; readonly end: () => void } | undefined;

  get size(): number {
    return this.#entries.size;
  }

  /** An entry waits for room in the journal. */
  hold(entry: Entry): void {
    this.#entries.add(entry);
  }

  /** It does not wait any more. Returns false if `takeOver` has seen to it. */
  release(entry: Entry): boolean {
    return this.#entries.delete(entry);
  }

  begin(entry: Entry, call: () => Promise<Range>, { written, failed, unneeded, over }: AppendEnd): void {
    this.#entries.add(entry);
    const end = (outcome: (isOurs: boolean) => unknown) => {
      const isOurs = this.#entries.delete(entry);
      try {
        outcome(isOurs);
      } catch (error) {
        if (isOurs) failed(error);
      }
      over();
      const next = this.#next;
      this.#next = undefined;
      next?.end();
    };
    // Handle the result with no further await: the process may be ending, and the last write must know what is written.
    called(call).then(
      (range) => end((isOurs) => (isOurs ? written : unneeded)(checkedRange(range, entry.events))),
      (error: unknown) => end((isOurs) => isOurs && failed(error)),
    );
  }

  /** Resolves once an append has ended; at once if none is in progress. */
  async next(): Promise<void> {
    if (this.size === 0) return;
    if (this.#next === undefined) {
      let end = () => {};
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      this.#next = { ended, end };
    }
    await this.#next.ended;
  }

  /** Others see to all events in progress: the results of their appends do not count. */
  takeOver(): Entry[] {
    const entries = [...this.#entries];
    this.#entries.clear();
    return entries;
  }
}

/** Returns the range if it fits the events. Otherwise throws a StorageError: a custom journal may be wrong. */
export function checkedRange(range: Range | undefined, { ends }: EventBytes): Range {
  if (range !== undefined && range?.to - range?.from === ends.length) return range;
  throw new StorageError(`the journal gave no range for ${ends.length} events`);
}

/** Calls a custom journal safely: if it throws, the returned promise rejects. */
function called(call: () => Promise<Range>): Promise<Range> {
  try {
    return Promise.resolve(call());
  } catch (error) {
    return Promise.reject(error);
  }
}
