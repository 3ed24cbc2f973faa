import type { EventBytes, Limit } from '../base/event-bytes.ts';
import { type Range, rangeLength, without } from '../base/range.ts';
import type { EpochRange } from '../base/range-queue.ts';
import { Turns } from '../base/turns.ts';
import { MOST_HOLD_MS } from '../keep/journal.ts';
import { Backlog, MEMORY_SEGMENT } from './backlog.ts';
import type { Batch } from './batch.ts';
import { Batcher, type BatcherOptions } from './batcher.ts';
import { Committer, type CommitterOptions } from './committer.ts';
import type { TextWriter } from './ring-buffer.ts';
import { UnderWay } from './under-way.ts';

export interface LaneOptions extends Omit<CommitterOptions, 'backlog'>, Omit<BatcherOptions, 'backlog'> {
  /** Bounds of its events in memory. */
  readonly buffer: Limit;
  readonly text: TextWriter;
  readonly createAbortController: () => AbortController;
}

/** The road of events of one priority, from memory to a batch: what waits, what writes it, what makes batches of it. */
export class Lane {
  readonly backlog: Backlog;
  readonly committer: Committer;
  readonly batcher: Batcher;
  readonly underWay: UnderWay;
  readonly #options: LaneOptions;
  readonly #turns = new Turns();

  constructor(options: LaneOptions) {
    const { buffer, createAbortController, text, journal, onRecovered } = options;
    const backlog = new Backlog(buffer, text);
    this.#options = options;
    this.backlog = backlog;
    this.committer = new Committer({
      ...{ ...options, backlog },
      onRecovered: async () => {
        await this.secure();
        // Not before: where nothing else is left to be written, it is this that shows whether the journal works.
        await onRecovered();
      },
    });
    this.batcher = new Batcher({ ...options, backlog });
    this.underWay = new UnderWay({
      ...{ backlog, createAbortController, journal },
      secure: (events, holdMs) => this.committer.secure(events, undefined, holdMs),
    });
  }

  /** Gives to the journal what it did not take while it failed. One after the other, so that the last one is awaited. */
  secure(): Promise<void> {
    return this.#turns.take(async () => {
      await this.underWay.secure();
      await this.#secureRing();
    });
  }

  /**
   * Takes events out of memory that are to be sent before this returns; undefined where there are none, or not one fits.
   * Those that are not written are given to the journal before this returns.
   *
   * @param isLeft Whether no answer will be seen here: others need not wait for it.
   * @param isShared Whether others may be about to send what the journal has: that stays where it is.
   */
  takeNow(maxBytes: number, isLeft: boolean, isShared: boolean): Batch | undefined {
    const { backlog, batcher, underWay } = this;
    const { appends } = this.committer;
    if (isShared && appends.oldest !== undefined) return undefined;
    if (isShared) backlog.leaveToJournal(0);
    if (backlog.fresh + backlog.unwritten === 0) return undefined;
    const handed = backlog.fresh > 0 ? undefined : appends.oldest;
    // Not out of the memory that it is written from.
    if (handed !== undefined && !this.#options.journal.copies) return undefined;
    const batch = batcher.takeNow(maxBytes, handed);
    if (batch?.range.segment !== MEMORY_SEGMENT) return batch;
    if (handed === undefined) void underWay.secureOne(batch, isLeft ? 0 : MOST_HOLD_MS);
    else appends.take(rangeLength(batch.range), (range) => void underWay.place(batch, range));
    return batch;
  }

  /** Writes what waits in a segment to another one: it is about to be given up. Returns how many bytes that are. */
  async rescue(segment: number): Promise<number> {
    const { journal, onFailed } = this.#options;
    let bytes = 0;
    try {
      bytes += await this.underWay.rescue(segment);
      for (const range of this.backlog.waitingIn(segment)) {
        for (let from = range.from; from < range.to; ) {
          const { events, range: read } = await journal.read({ ...range, from }, journal.groupLimit);
          const to = Math.max(read.to, from + 1);
          if (rangeLength(read) > 0 && events.ends.length > 0)
            await this.#rewrite({ ...range, from, to }, events);
          bytes += events.bytes.length;
          from = to;
        }
      }
    } catch (error) {
      // What is left in it goes with it, and that is said.
      onFailed(error);
    }
    return bytes;
  }

  /** A segment is gone from storage: what memory still holds of it is written again, in its place where the journal can do that. */
  async lose(segment: number): Promise<void> {
    const { backlog, underWay } = this;
    const { journal, onFailed, reporter } = this.#options;
    const all = { segment, from: 0, to: Number.POSITIVE_INFINITY };
    const lost = [...underWay.known(all), ...backlog.inRing(segment, journal.groupLimit)];
    let gone = [all];
    for (const { range } of lost) gone = gone.flatMap((part) => without(part, range));
    const end = (count: number, part: Range) => count + backlog.end(part);
    reporter.settled('damaged', gone.reduce(end, 0));
    if (journal.restore && lost.length > 0) {
      try {
        return await journal.restore(lost);
      } catch (error) {
        onFailed(error);
      }
    }
    // As if it had never been written: where it cannot be now, it is once the journal works.
    for (const { range } of lost) {
      underWay.lose(range);
      reporter.settled('damaged', backlog.lose(range));
    }
    await this.secure();
  }

  /** Writes what goes on in memory because the journal failed, as far as it is still in the ring. */
  async #secureRing(): Promise<void> {
    const { backlog, committer } = this;
    for (;;) {
      const group = backlog.memoryGroup(this.#options.journal.groupLimit);
      const range = group && (await committer.secure(group.events));
      if (group === undefined || range === undefined) return;
      await this.#move(group.range, range);
    }
  }

  async #rewrite(range: EpochRange, events: EventBytes): Promise<void> {
    const { journal } = this.#options;
    // A copy: what was read is valid only until the next reading. Not slice(): that of a Buffer copies nothing.
    const copy = { ...events, bytes: new Uint8Array(events.bytes) };
    await this.#move(range, await journal.append(copy));
  }

  async #move(range: Range, written: Range): Promise<void> {
    const { journal, onFailed } = this.#options;
    // What was taken meanwhile is in a request, and stays in memory; or it was dropped.
    for (const gone of this.backlog.move(range, written)) await journal.acknowledge(gone).catch(onFailed);
  }
}
