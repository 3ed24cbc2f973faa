const COUNT = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const DECIMAL = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** 1234567 as `1,234,567`. */
export function formatCount(count: number): string {
  return COUNT.format(count);
}

/** 1234567 as `1.2M`, for small spaces. */
export function formatShort(count: number): string {
  return SHORT.format(count);
}

/** `1 event`, `2 events`. */
export function formatSome(count: number, one: string, many: string = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** 2048 as `2 KiB`; null as `not read`. */
export function formatBytes(bytes: number | null): string {
  if (bytes === null) return 'not read';
  const power = bytes < 1_024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${DECIMAL.format(bytes / 1_024 ** power)} ${UNITS[power]}`;
}

/** 1234.5 as `1.23 s`. */
export function formatDuration(ms: number): string {
  return ms < 1_000 ? `${DECIMAL.format(ms)} ms` : `${DECIMAL.format(ms / 1_000)} s`;
}
