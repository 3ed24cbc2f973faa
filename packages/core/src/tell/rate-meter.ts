const BUCKET_MS = 1_000;
const BUCKETS = 10;

/** A rate over the last ten seconds, from a counter that is looked at now and then. */
export class RateMeter {
  readonly #samples: { readonly at: number; readonly total: number }[] = [];

  /** The counter stands at `total`. Costs next to nothing when it was looked at within the second. */
  sample(total: number, now: number): void {
    const last = this.#samples.at(-1);
    if (last !== undefined && now >= last.at && now - last.at < BUCKET_MS) return;
    if (last !== undefined && now < last.at) this.#samples.length = 0;
    this.#samples.push({ at: now, total });
    if (this.#samples.length > BUCKETS + 1) this.#samples.shift();
  }

  perSecond(total: number, now: number): number {
    const from = this.#samples.find(({ at }) => now - at <= BUCKETS * BUCKET_MS);
    const seconds = from === undefined ? 0 : (now - from.at) / 1_000;
    return from === undefined || seconds <= 0 ? 0 : (total - from.total) / Math.max(1, seconds);
  }
}
