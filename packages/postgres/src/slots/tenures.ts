import type { Clock, Timer } from '@sluice/protocol/toolbox';
import { type Moment, moment, msSince } from './moment.ts';
import type { SlotTable } from './slot-table.ts';
import type { Tenure } from './tenure.ts';

export interface TenuresOptions {
  readonly slots: SlotTable;
  readonly clock: Clock;
  /** How often the slots are renewed, in milliseconds. */
  readonly renewMs: number;
  /**
   * How long after a renewal was sent this journal relies on it, in milliseconds. Shorter than the lease in the table: no other
   * journal takes a slot before this one knows that it is lost.
   */
  readonly heldMs: number;
  /** These slots are lost: others may own them now. */
  readonly onLost: (lost: readonly Tenure[]) => void;
  /** Slots that were lost, but that no other journal took: they are this journal's again. */
  readonly onRegained: (tenures: readonly Tenure[]) => void;
}

/** A renewal that failed is tried again after this part of the usual time. */
const SOONER = 1 / 5;

/**
 * The slots that a journal owns. It renews them, and judges by its own clocks, and more strictly than PostgreSQL does, for how long it
 * owns them. If it cannot renew them in time it lets all of them go, and asks later whether they are still free.
 */
export class Tenures {
  readonly #options: TenuresOptions;
  readonly #held = new Set<Tenure>();
  /** Lost by this journal's clocks. In the table, it may still be the owner. */
  #lapsed: readonly Tenure[] = [];
  /** When the last renewal was sent that succeeded. */
  #renewedAt: Moment = moment();
  #renewal: Timer | undefined;
  #end: Timer | undefined;
  #isStopped = false;

  constructor(options: TenuresOptions) {
    this.#options = options;
  }

  get held(): readonly Tenure[] {
    return [...this.#held];
  }

  /** Slots that are owned from now on. @param sentAt When the statement was sent that took them. */
  add(tenures: readonly Tenure[], sentAt: Moment): void {
    if (tenures.length === 0) return;
    if (this.#held.size === 0) this.#renewedAt = sentAt;
    for (const tenure of tenures) this.#held.add(tenure);
    this.#watch();
    this.#renewal ??= this.#renewLater(this.#options.renewMs);
  }

  /** The slot goes back. */
  remove(tenure: Tenure): void {
    tenure.isLost = true;
    this.#held.delete(tenure);
  }

  /** Whether the slots are this journal's now. If their time has just passed, lets them go. */
  check(): boolean {
    if (this.#held.size === 0) return true;
    if (msSince(this.#renewedAt) < this.#options.heldMs) return true;
    const lost = this.held;
    this.#lapsed = [...this.#lapsed, ...lost];
    this.#lose(lost);
    return false;
  }

  stop(): void {
    this.#isStopped = true;
    this.#renewal?.cancel();
    this.#end?.cancel();
  }

  #lose(lost: readonly Tenure[]): void {
    if (lost.length === 0) return;
    for (const tenure of lost) this.remove(tenure);
    this.#options.onLost(lost);
  }

  /** Calls `check` once the time is over. */
  #watch(): void {
    const { clock, heldMs } = this.#options;
    this.#end?.cancel();
    if (this.#held.size === 0 || this.#isStopped) return;
    const leftMs = Math.max(0, heldMs - msSince(this.#renewedAt));
    this.#end = clock.setTimeout(() => {
      if (this.check()) this.#watch();
    }, leftMs);
  }

  #renewLater(waitMs: number): Timer | undefined {
    if (this.#isStopped || this.#held.size + this.#lapsed.length === 0) return undefined;
    return this.#options.clock.setTimeout(() => void this.#renew(), waitMs);
  }

  async #renew(): Promise<void> {
    const { heldMs, renewMs, slots } = this.#options;
    const asked = [...this.#held, ...this.#lapsed];
    const sentAt = moment();
    let waitMs = renewMs;
    try {
      const renewed = new Set(await slots.renew(asked));
      // Otherwise the answer comes so late that it says nothing.
      if (msSince(sentAt) < heldMs) this.#renewed(asked, renewed, sentAt);
    } catch {
      // If PostgreSQL stays away, the slots are lost in time. Appends and reads report the failure.
      waitMs *= SOONER;
    }
    this.#renewal = this.#renewLater(waitMs);
  }

  #renewed(asked: readonly Tenure[], renewed: ReadonlySet<Tenure>, sentAt: Moment): void {
    // The time of before may have passed while the answer came.
    this.check();
    this.#renewedAt = sentAt;
    const regained = this.#lapsed.filter((tenure) => renewed.has(tenure));
    this.#lapsed = this.#lapsed.filter((tenure) => !asked.includes(tenure));
    this.#lose(asked.filter((tenure) => this.#held.has(tenure) && !renewed.has(tenure)));
    this.#watch();
    if (regained.length === 0) return;
    const again = regained.map((tenure) => ({ ...tenure, isOwn: false, isLost: false }));
    this.add(again, sentAt);
    this.#options.onRegained(again);
  }
}
