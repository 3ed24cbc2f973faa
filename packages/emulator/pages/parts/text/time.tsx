const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const DAY_OF_YEAR = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

/** A time of the emulator (ISO 8601) in the user's time zone. A time of today is shown without the date. */
export function Time({ value }: { readonly value: string }) {
  return (
    <time dateTime={value} title={value}>
      {formatTime(value)}
    </time>
  );
}

/** Like {@link Time}, but as text. */
export function formatTime(value: string, now: Date = new Date()): string {
  const time = new Date(value);
  if (Number.isNaN(time.getTime())) return value;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  const exact = `${clock}.${String(time.getMilliseconds()).padStart(3, '0')}`;
  if (time.toDateString() === now.toDateString()) return exact;
  return `${(time.getFullYear() === now.getFullYear() ? DAY : DAY_OF_YEAR).format(time)} ${clock}`;
}

function two(part: number): string {
  return String(part).padStart(2, '0');
}
