import type { Range } from '../base/range.ts';
import { MEMORY_SEGMENT } from './backlog.ts';
import { Lane, type LaneOptions } from './lane.ts';

/** What waits, over all lanes. */
export interface Waiting {
  readonly pending: number;
  readonly volatile: number;
  readonly stored: number;
  readonly inFlight: number;
  readonly bytes: number;
  readonly oldestAt: number | undefined;
}

/**
 * The lanes of a tracker: one for all events, and one for those of high priority, which is made with the first of them.
 * Where order is strict there is but one.
 */
export class Lanes {
  readonly normal: Lane;
  readonly #options: LaneOptions;
  #high: Lane | undefined;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.normal = new Lane(options);
  }

  /** The lane of events of high priority, which wait for no others, and are given up last. */
  get high(): Lane {
    if (this.#options.isStrict) return this.normal;
    this.#high ??= new Lane({ ...this.#options, isLast: true, maxWaitMs: 0 });
    return this.#high;
  }

  /** Those that there are, the one that goes first at first. */
  get all(): readonly Lane[] {
    return this.#high === undefined ? [this.normal] : [this.#high, this.normal];
  }

  get waiting(): Waiting {
    const sum = (name: Exclude<keyof Waiting, 'oldestAt'>) => this.#sum(({ backlog }) => backlog[name]);
    const times = this.all.map(({ backlog }) => backlog.oldestOfAllAt ?? Number.POSITIVE_INFINITY);
    const oldest = Math.min(...times);
    return {
      pending: sum('pending'),
      volatile: sum('volatile'),
      stored: sum('stored'),
      inFlight: sum('inFlight'),
      bytes: sum('bytes'),
      oldestAt: oldest < Number.POSITIVE_INFINITY ? oldest : undefined,
    };
  }

  /** Whether the journal failed when it was last tried. */
  get failing(): boolean {
    return this.all.some(({ committer }) => committer.failing);
  }

  /** Resolves once all that is accepted by now is written; to false as soon as the journal fails, or where something goes on in memory. */
  async write(): Promise<boolean> {
    const written = await this.#each(({ committer }) => committer.write());
    return (
      written.every((isWritten) => isWritten) && this.all.every(({ backlog }) => backlog.memoryOnly === 0)
    );
  }

  /** Resolves once all that is accepted by now is written, or goes on in memory for good. */
  async commit(): Promise<void> {
    await this.#each(({ committer }) => committer.commit());
  }

  /** As `commit`; but all is given to the journal before this returns, as far as there is room. */
  async writeAll(): Promise<void> {
    await this.#each(({ committer }) => committer.writeAll());
  }

  /** Resolves once all that waits now is settled, or the signal aborts. */
  async settled(over: AbortSignal): Promise<void> {
    await this.#each(({ backlog }) => backlog.epochs.turn(over));
  }

  /** From now on, until the returned function is called, events need not wait for others. */
  hurry(): () => void {
    const calm = this.all.map(({ batcher }) => batcher.hurry());
    return () => {
      for (const end of calm) end();
    };
  }

  /** Gives to the journal what it did not take while it failed. */
  async secure(): Promise<void> {
    for (const lane of this.all) await lane.secure();
  }

  /** What waits in a segment ends here: the journal gave it up. Returns how many events that are. */
  evict(segment: number): number {
    return this.#sum(({ backlog }) => backlog.evict(segment));
  }

  /** A segment is gone from storage: what memory still holds of it is written again. */
  async lose(segment: number): Promise<void> {
    await this.#each((lane) => lane.lose(segment));
  }

  /** What waits of a range ends here. Returns how many events that are. */
  end(range: Range): number {
    return this.#sum(({ backlog }) => backlog.end(range));
  }

  /** Consent is denied: all that waits ends here; a batch in a request with that, whatever comes of it. */
  async purge(): Promise<void> {
    const { journal, onFailed, reporter } = this.#options;
    const gone = this.all.flatMap(({ backlog }) => backlog.waitingIn());
    const left = this.#sum(({ underWay }) => underWay.deny());
    reporter.settled(
      'denied',
      gone.reduce((total, range) => total + this.end(range), left),
    );
    for (const range of gone) {
      if (range.segment !== MEMORY_SEGMENT) await journal.acknowledge(range, 'denied').catch(onFailed);
    }
  }

  /** Writes what is given up last of a segment to another one. Returns how many bytes that are. */
  async rescue(segment: number): Promise<number> {
    return (await this.#high?.rescue(segment)) ?? 0;
  }

  /** Makes no batches from now on. */
  stopBatches(): void {
    for (const { batcher } of this.all) batcher.stop();
  }

  /** Writes nothing from now on. */
  stopWriting(): void {
    for (const { committer } of this.all) committer.stop();
  }

  /** What no journal holds, or all where none survives, ends here. Returns how many events that are. */
  giveUp(survives: boolean, unsaved: number): number {
    return this.#sum(({ backlog }) => {
      const count = survives
        ? backlog.volatile + (backlog === this.normal.backlog ? unsaved : 0)
        : backlog.pending;
      backlog.giveUp(count);
      return count;
    });
  }

  #sum(count: (lane: Lane) => number): number {
    return this.all.reduce((total, lane) => total + count(lane), 0);
  }

  #each<Result>(work: (lane: Lane) => Promise<Result>): Promise<Result[]> {
    return Promise.all(this.all.map(work));
  }
}
