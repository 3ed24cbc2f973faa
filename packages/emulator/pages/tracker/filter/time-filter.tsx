import { Menu } from '../../parts/dialogs/menu.tsx';
import { formatTime } from '../../parts/text/time.tsx';
import { type EventFilter, withField } from './event-filter.ts';

const MINUTE_MS = 60_000;
const SPANS: readonly (readonly [label: string, minutes: number])[] = [
  ['Last 5 minutes', 5],
  ['Last hour', 60],
  ['Last 24 hours', 24 * 60],
];

interface TimeFilterProps {
  readonly filter: EventFilter;
  readonly onChange: (filter: EventFilter) => void;
}

/** Filters events by the time at which they were received. */
export function TimeFilter({ filter, onChange }: TimeFilterProps) {
  const { from = '', to = '', ...others } = filter;
  const isSet = from !== '' || to !== '';
  const since = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS).toISOString();
  return (
    <Menu label={words(from, to)} isSet={isSet}>
      <button type="button" class="quiet" onClick={() => onChange(others)}>
        Any time
      </button>
      {SPANS.map(([label, minutes]) => (
        <button
          key={label}
          type="button"
          class="quiet"
          onClick={() => onChange({ ...others, from: since(minutes) })}
        >
          {label}
        </button>
      ))}
      <TimeField label="From" value={from} onChange={(value) => onChange(withField(filter, 'from', value))} />
      <TimeField label="To" value={to} onChange={(value) => onChange(withField(filter, 'to', value))} />
    </Menu>
  );
}

interface TimeFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function TimeField({ label, value, onChange }: TimeFieldProps) {
  return (
    <label class="field">
      <span class="muted">{label}</span>
      <input
        type="datetime-local"
        step="1"
        value={toLocal(value)}
        onChange={({ currentTarget }) => onChange(toIso(currentTarget.value))}
      />
    </label>
  );
}

function words(from: string, to: string): string {
  if (from === '' && to === '') return 'Any time';
  if (to === '') return `Since ${formatTime(from)}`;
  return from === '' ? `Until ${formatTime(to)}` : `${formatTime(from)} – ${formatTime(to)}`;
}

/** An ISO time for the field: in the user's time zone. */
function toLocal(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return '';
  return new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 19);
}

function toIso(local: string): string {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? '' : time.toISOString();
}
