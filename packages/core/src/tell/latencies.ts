import type { Latency } from './stats.ts';

const KEPT = 500;

/** Quantiles of the durations of the last requests. */
export class Latencies {
  readonly #kept: number[] = [];
  #next = 0;

  add(milliseconds: number): void {
    this.#kept[this.#next] = milliseconds;
    this.#next = (this.#next + 1) % KEPT;
  }

  get stats(): Latency {
    const sorted = [...this.#kept].sort((a, b) => a - b);
    const at = (part: number) => sorted[Math.ceil(part * sorted.length) - 1] ?? 0;
    return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
  }
}
