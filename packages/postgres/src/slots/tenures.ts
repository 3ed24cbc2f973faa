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
 * owns them. If it cannot renew them in time it lets them go, and asks later whether they are still free.
 */
export class Tenures {
  readonly #options: TenuresOptions;
  /** Each with when the last statement was sent that took or renewed it. */
  readonly #held = new Map<Tenure, Moment>();
  /** Lost by this journal's clocks. In the table, it may still be the owner. */
  #lapsed: readonly Tenure[] = [];
  #isRenewing = false;
  #renewal: Timer | undefined;
  #end: Timer | undefined;
  #isStopped = false;

  constructor(options: TenuresOptions) {
    this.#options = options;
  }

  get held(): readonly Tenure[] {
    return [...this.#held.keys()];
  }

  /** Slots that are owned from now on. @param sentAt When the statement was sent that took them. */
  add(tenures: readonly Tenure[], sentAt: Moment): void {
    if (tenures.length === 0) return;
    for (const tenure of tenures) this.#held.set(tenure, sentAt);
    this.#watch();
    // The answer may have come late: then it is soon time.
    this.#renewLater(this.#options.renewMs - this.#ageMs);
  }

  /** The slot goes back. */
  remove(tenure: Tenure): void {
    tenure.isLost = true;
    this.#held.delete(tenure);
  }

  /** Whether the slots are this journal's now. If their time has just passed, lets them go. */
  check(): boolean {
    const { heldMs } = this.#options;
    const lost = [...this.#held].filter(([, at]) => msSince(at) >= heldMs).map(([tenure]) => tenure);
    this.#lapsed = [...this.#lapsed, ...lost];
    this.#lose(lost);
    return lost.length === 0;
  }

  /** How long ago the oldest statement was sent on which this journal relies. */
  get #ageMs(): number {
    return Math.max(0, ...[...this.#held.values()].map(msSince));
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
    const leftMs = Math.max(0, heldMs - this.#ageMs);
    this.#end = clock.setTimeout(() => {
      this.check();
      this.#watch();
    }, leftMs);
  }

  #renewLater(waitMs: number): void {
    this.#renewal?.cancel();
    this.#renewal = undefined;
    if (this.#isStopped || this.#isRenewing || this.#held.size + this.#lapsed.length === 0) return;
    this.#renewal = this.#options.clock.setTimeout(() => void this.#renew(), Math.max(0, waitMs));
  }

  async #renew(): Promise<void> {
    const { heldMs, renewMs, slots } = this.#options;
    const asked = [...this.held, ...this.#lapsed];
    const sentAt = moment();
    let waitMs: number | undefined;
    this.#isRenewing = true;
    try {
      const renewed = new Set(await slots.renew(asked));
      // Otherwise the answer comes so late that it says nothing.
      if (msSince(sentAt) < heldMs) this.#renewed(asked, renewed, sentAt);
    } catch {
      // If PostgreSQL stays away, the slots are lost in time. Appends and reads report the failure.
      waitMs = renewMs * SOONER;
    }
    this.#isRenewing = false;
    this.#renewLater(waitMs ?? renewMs - this.#ageMs);
  }

  #renewed(asked: readonly Tenure[], renewed: ReadonlySet<Tenure>, sentAt: Moment): void {
    // The time of before may have passed while the answer came.
    this.check();
    for (const tenure of renewed) if (this.#held.has(tenure)) this.#held.set(tenure, sentAt);
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
