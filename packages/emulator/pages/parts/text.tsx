const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const DAY_OF_THIS_YEAR = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const BYTES = { notation: 'compact', style: 'unit', unit: 'byte', unitDisplay: 'narrow' } as const;
const MS = { style: 'unit', unit: 'millisecond', maximumSignificantDigits: 3 } as const;
const LETTERS = String.raw`[\p{L}\p{M}\p{N}]`;
// Characters that would hide, reverse or join the text around them. A joiner inside a word or an emoji does not do that.
const UNSEEN =
  /(?!(?<=[\p{L}\p{M}\p{Emoji_Presentation}\p{Emoji_Modifier}])(?:\u200c|\u200d))[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** 1234567 as `1,234,567`. */
export const formatCount: (count: number) => string = new Intl.NumberFormat('en').format;

/** 2048 as `2KB`. */
export const formatBytes: (bytes: number) => string = new Intl.NumberFormat('en', BYTES).format;

/** 1234.5 as `1,230 ms`. */
export const formatDuration: (ms: number) => string = new Intl.NumberFormat('en', MS).format;

/** The time of day, on a 24-hour clock. */
export const formatClock: (time: Date) => string = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
  .format;

/** `1 event`, `2 events`. */
export function formatSome(count: number, one: string, many: string = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** A time of the emulator (ISO 8601) in the user's time zone, without the date or the year if that is the current one. */
export function Time({ value }: { readonly value: string }) {
  const time = new Date(value);
  const now = new Date();
  const day = time.getFullYear() === now.getFullYear() ? DAY_OF_THIS_YEAR : DAY;
  const shown = () =>
    time.toDateString() === now.toDateString()
      ? formatClock(time) + time.toISOString().slice(19, 23)
      : `${day.format(time)} ${formatClock(time)}`;
  return (
    <time dateTime={value} title={value}>
      {Number.isNaN(time.getTime()) ? value : shown()}
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
    const unitOf = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
    return escaped === each ? each.split('').map(unitOf).join('') : escaped;
  });
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
