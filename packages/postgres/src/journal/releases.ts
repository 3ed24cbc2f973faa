import type { Clock, Timer } from '@sluice/protocol/toolbox';
import type { OutboxTable } from '../forward/outbox-table.ts';
import type { ParcelTable, RowKey } from '../parcels/parcel-table.ts';
import type { Release } from '../slots/segments.ts';

interface ReleasesOptions {
  readonly parcels: ParcelTable;
  readonly outbox: OutboxTable;
  readonly clock: Clock;
  /** So many parcels and events of the outbox were deleted, and nothing knows them any more. */
  readonly onDeleted: (parcels: number, events: number) => void;
}

/** Releases that failed are tried again after so long. */
const RETRY_MS = 500;

/**
 * Deletes what is released. One statement at a time: all that is released meanwhile goes with the next one. What could not be deleted
 * is tried again, so that no other forwarder sends it.
 */
export class Releases {
  readonly #options: ReleasesOptions;
  #waiting: Release[] = [];
  /** The strays that are not deleted yet. */
  readonly #strays = new Set<Release>();
  #flushing: Promise<void> | undefined;
  #retry: Timer | undefined;
  #isStopped = false;

  constructor(options: ReleasesOptions) {
    this.#options = options;
  }

  /** Resolves once these are deleted. Rejects with a StorageError if that fails; it is tried again all the same. */
  async add(releases: readonly Release[]): Promise<void> {
    if (releases.length === 0) return;
    this.#waiting.push(...releases);
    for (const release of releases) if (release.table === 'stray') this.#strays.add(release);
    // What is being deleted now may be another statement's.
    await this.#flushing?.catch(() => undefined);
    await this.flush();
  }

  /** Resolves once all that was released is deleted. */
  async flush(): Promise<void> {
    if (this.#waiting.length > 0) this.#flushing ??= this.#flush();
    await this.#flushing;
  }

  /** Resolves once no stray is left: at once if there is none. Rejects with a StorageError if one could not be deleted. */
  async cleared(): Promise<void> {
    while (this.#strays.size > 0) {
      // The statement in progress may be of before they came.
      await this.#flushing?.catch(() => undefined);
      await this.flush().catch((error) => {
        if (this.#strays.size > 0) throw error;
      });
    }
  }

  /** Nothing is tried again. */
  stop(): void {
    this.#isStopped = true;
    this.#retry?.cancel();
  }

  async #flush(): Promise<void> {
    const releases = this.#waiting;
    this.#waiting = [];
    this.#retry?.cancel();
    try {
      await this.#run(releases);
      for (const release of releases) release.done();
      const ended = releases.filter(({ gone }) => !gone);
      const events = ended.filter(({ table }) => table === 'outbox').length;
      this.#options.onDeleted(ended.length - events, events);
    } catch (error) {
      this.#waiting.unshift(...releases);
      if (!this.#isStopped)
        this.#retry = this.#options.clock.setTimeout(
          () => void this.flush().catch(() => undefined),
          RETRY_MS,
        );
      throw error;
    } finally {
      this.#flushing = undefined;
    }
  }

  async #run(releases: readonly Release[]): Promise<void> {
    const { parcels, outbox } = this.#options;
    const cuts = new Map<string, RowKey & { gone: NonNullable<Release['gone']> }>();
    const ended: Record<Release['table'], RowKey[]> = { own: [], parcel: [], outbox: [], stray: [] };
    for (const { table, tenure, seq, hash, gone } of releases) {
      const { slot, epoch } = tenure;
      // Of several cuts of one parcel, the last one says all.
      if (gone) cuts.set(`${slot} ${seq}`, { slot, epoch, seq, gone });
      else ended[table].push({ slot, epoch, seq, hash });
    }
    // First: appends wait for it.
    if (ended.stray.length > 0) await parcels.clear(ended.stray);
    for (const release of releases) this.#strays.delete(release);
    if (cuts.size > 0) await parcels.cut([...cuts.values()]);
    if (ended.own.length > 0) await parcels.remove(ended.own, false);
    if (ended.parcel.length > 0) await parcels.remove(ended.parcel, true);
    if (ended.outbox.length > 0) await outbox.remove(ended.outbox);
  }
}
