const COUNT = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const DECIMAL = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const DAY_OF_YEAR = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const LETTERS = String.raw`[\p{L}\p{M}\p{N}]`;
// Characters that would hide, reverse or join the text around them. A joiner inside a word or an emoji does not do that.
const UNSEEN =
  /(?!(?<=[\p{L}\p{M}\p{Emoji_Presentation}\p{Emoji_Modifier}])(?:\u200c|\u200d))[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

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

/** The time of day, on a 24-hour clock. */
export function formatClock(time: Date): string {
  return time.toLocaleTimeString('en-GB');
}

/** A time of the emulator (ISO 8601) in the user's time zone. A time of today is shown without the date. */
export function formatTime(value: string): string {
  const time = new Date(value);
  const now = new Date();
  if (Number.isNaN(time.getTime())) return value;
  const clock = formatClock(time);
  if (time.toDateString() === now.toDateString())
    return `${clock}.${String(time.getMilliseconds()).padStart(3, '0')}`;
  return `${(time.getFullYear() === now.getFullYear() ? DAY : DAY_OF_YEAR).format(time)} ${clock}`;
}

/** Like {@link formatTime}, with the exact time as a title. */
export function Time({ value }: { readonly value: string }) {
  return (
    <time class="number" dateTime={value} title={value}>
      {formatTime(value)}
    </time>
  );
}

/**
 * Makes a text from elsewhere readable: invisible characters become escapes. A text without visible characters is also quoted.
 */
export function shownText(text: string): string {
  return text.trim() === '' ? JSON.stringify(text) : escapeUnseen(text);
}

/** Replaces invisible characters by their JSON escapes. */
export function escapeUnseen(text: string): string {
  return text.replace(UNSEEN, (each) => {
    const escaped = JSON.stringify(each).slice(1, -1);
    return escaped === each ? each.split('').map(escapedUnit).join('') : escaped;
  });
}

function escapedUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Finds the words of a search, at the beginning of words. Undefined if there are none. */
export function hitsOf(search: string): RegExp | undefined {
  const words = search.match(new RegExp(`${LETTERS}+`, 'gu'));
  return words === null ? undefined : new RegExp(`(?<!${LETTERS})(${words.join('|')})`, 'giu');
}

/** A text with its hits marked. */
export function Marked({ text, hits }: { readonly text: string; readonly hits: RegExp | undefined }) {
  if (hits === undefined) return <>{text}</>;
  // With a group, a split returns the hits as well: at the odd places.
  return <>{text.split(hits).map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))}</>;
}
