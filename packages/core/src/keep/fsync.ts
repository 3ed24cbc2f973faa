/**
 * When written events are made to survive a power cut. In every mode they survive the death of the process.
 * - `always`: before they count as written. One sync serves all that were waiting.
 * - `interval`: within 100 ms or 1 MiB, whichever is first.
 * - `never`: when the operating system sees fit.
 */
export type Fsync = 'always' | 'interval' | 'never';
