const KB = 1_000;

/** Formats 10000 as `10,000`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** Formats bytes: `420 B`, `42 kB`, `4.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < KB) return `${bytes} B`;
  if (bytes < KB * KB) return `${Math.round(bytes / KB)} kB`;
  return `${(bytes / KB / KB).toFixed(1)} MB`;
}

/** Formats milliseconds as seconds: `3.4 s`. */
export function formatSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** A number with what it counts: `1 file`, `2 files`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
