import { UsageError } from '../exit-codes.ts';

const UNITS = { ms: 1, s: 1_000, min: 60_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d+(?:\.\d+)?) ?(ms|s|min|m|h|d)$/;
const SIZES = ['kB', 'MB', 'GB', 'TB'];

/** `1234567` as `1,234,567`. */
export function count(number: number): string {
  return number.toLocaleString('en');
}

/** A number and its noun: `1 event`, `2 events`. */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${count(number)} ${number === 1 ? noun : plural}`;
}

/** Bytes in decimal units: `12.3 MB`. */
export function size(bytes: number): string {
  let value = bytes;
  let unit = 'B';
  for (const larger of SIZES) {
    if (value < 1_000) break;
    value /= 1_000;
    unit = larger;
  }
  return `${unit === 'B' ? value : value.toFixed(1)} ${unit}`;
}

/** Milliseconds in the two largest units: `3 h 12 min`. */
export function duration(ms: number): string {
  const { d, h, min, s } = UNITS;
  for (const [unit, length, next, below] of [
    ['d', d, 'h', h],
    ['h', h, 'min', min],
    ['min', min, 's', s],
  ] as const) {
    if (ms < length) continue;
    const rest = Math.floor((ms % length) / below);
    return `${Math.floor(ms / length)} ${unit}${rest > 0 ? ` ${rest} ${next}` : ''}`;
  }
  return ms < 10_000 ? `${(ms / s).toFixed(1)} s` : `${Math.round(ms / s)} s`;
}

/** Milliseconds of `30s`, `5m`, `2h` or `7d`. Throws a UsageError that names the flag. */
export function readDuration(flag: string, text: string): number {
  const [, number, unit] = DURATION.exec(text) ?? [];
  if (number === undefined)
    throw new UsageError(`${flag} must be a time such as 30s, 5m, 2h or 7d, got "${text}"`);
  return Number(number) * UNITS[unit as keyof typeof UNITS];
}

/** A number above zero. Throws a UsageError that names the flag. */
export function readNumber(flag: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && number > 0 && Number.isFinite(number)) return number;
  throw new UsageError(`${flag} must be a number above 0, got "${text}"`);
}

/** A moment, in milliseconds since 1970: `06:30` is the next one, `30m` is from now, anything else is a date. Throws a UsageError if it is past. */
export function readMoment(flag: string, text: string, now: number): number {
  const moment = momentOf(flag, text, now);
  if (moment > now) return moment;
  throw new UsageError(`${flag} must be in the future, got "${text}"`);
}

function momentOf(flag: string, text: string, now: number): number {
  if (DURATION.test(text)) return now + readDuration(flag, text);
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours !== undefined) {
    const today = new Date(now);
    today.setHours(Number(hours), Number(minutes), 0, 0);
    if (today.getTime() <= now) today.setDate(today.getDate() + 1);
    return today.getTime();
  }
  const moment = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(moment)) return moment;
  throw new UsageError(`${flag} must be 06:30, 30m or a date such as 2026-11-27T06:30:00Z, got "${text}"`);
}
