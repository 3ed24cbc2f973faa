const BUCKET_MS = 1_000;
const BUCKETS = 10;

/** The rate of a counter over the last ten seconds, computed from samples of the counter. */
export class RateMeter {
  readonly #samples: { readonly at: number; readonly total: number }[] = [];

  /** Takes a sample: the counter is at `total`. Does nothing if the last sample is less than a second old. */
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
