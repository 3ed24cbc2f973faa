/**
 * When the journal syncs written events to the disk, so that they survive a power cut. In every mode they survive the end of
 * the process.
 * - `always`: before they count as written. One sync serves all waiting appends.
 * - `interval`: within 100 ms or 1 MiB, whichever comes first.
 * - `never`: the operating system decides when.
 */
export type Fsync = 'always' | 'interval' | 'never';
