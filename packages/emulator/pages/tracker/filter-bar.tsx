import { useEffect, useId, useState } from 'preact/hooks';
import type { TrackerValues } from '../../src/admin/contract.ts';
import { Menu } from '../parts/dialog.tsx';
import { SearchField, typing } from '../parts/field.tsx';
import { formatCount, formatTime } from '../parts/text.tsx';
import { useAnswer } from '../shell/asking.ts';
import { type EventFilter, type FilterField, filter, setFilter, withField } from './event-filter.ts';

const MINUTE_MS = 60_000;
const SPANS: Readonly<Record<string, number>> = {
  'Last 5 minutes': 5,
  'Last hour': 60,
  'Last 24 hours': 24 * 60,
};

/** What to search: text, name, customer, source, payload, time, and whether the customer exists; and what is shown in columns. */
export function FilterBar() {
  const change = (field: FilterField) => (value: string) => setFilter(withField(field, value));
  // Applies when the user presses Enter or leaves the field.
  const input = (field: FilterField) => ({
    class: filter.value[field] === undefined ? '' : 'is-set',
    value: filter.value[field] ?? '',
    onChange: typing(change(field)),
  });
  return (
    <search class="filter-bar row">
      <SearchField
        {...input('text')}
        onChange={change('text')}
        label="Search in names, customers and payloads"
        placeholder="Search names, customers, payloads"
      />
      <ValueField field="name" label="Event name" />
      <ValueField field="correlationValue" label="Customer" />
      <ValueField field="source" label="Source" />
      <input
        {...input('payload')}
        type="search"
        aria-label="Payload"
        autocomplete="off"
        placeholder="payload.total > 100"
        title={'Conditions, joined by and: payload.total > 100 and payload.items[0].sku = "A-1"'}
      />
      <select {...input('attributed')} aria-label="Customers">
        <option value="">Any customer</option>
        <option value="true">Known customers</option>
        <option value="false">No such customer</option>
      </select>
      <TimeFilter />
      <input
        {...input('keys')}
        type="search"
        aria-label="Keys as columns"
        autocomplete="off"
        placeholder="Columns: payload.total, …"
        title="Keys of payloads as columns: payload.total, payload.items[0].sku"
      />
      {Object.keys(filter.value).length > 0 && (
        <button type="button" class="quiet" onClick={() => setFilter({})}>
          Reset filters
        </button>
      )}
    </search>
  );
}

/** A field for one exact value. It offers the values in use, and applies one when it is complete or when the user presses Enter. */
function ValueField({ field, label }: { readonly field: FilterField; readonly label: string }) {
  const value = filter.value[field] ?? '';
  const onChange = (typed: string) => setFilter(withField(field, typed));
  const listId = useId();
  const [typed, setTyped] = useState(value);
  const [isUsed, setUsed] = useState(false);
  const path = `/tracker/values?${new URLSearchParams({ field, start: typed })}`;
  const { value: answer } = useAnswer<TrackerValues>(isUsed ? path : undefined);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    const isComplete = typed === '' || answer?.values.some((each) => each.value === typed);
    if (isComplete && typed !== value) onChange(typed);
  }, [typed, answer]);
  return (
    <>
      <input
        type="search"
        class={value === '' ? '' : 'is-set'}
        aria-label={label}
        placeholder={label}
        list={listId}
        autocomplete="off"
        value={typed}
        onFocus={() => setUsed(true)}
        onBlur={() => {
          setUsed(false);
          setTyped(value);
        }}
        onInput={typing(setTyped)}
        onKeyDown={({ key }) => key === 'Enter' && onChange(typed)}
      />
      <datalist id={listId}>
        {answer?.values.map((each) => (
          <option key={each.value} value={each.value}>
            {formatCount(each.count)}
          </option>
        ))}
      </datalist>
    </>
  );
}

/** Filters events by the time at which they were received. */
function TimeFilter() {
  const { from = '', to = '', ...others } = filter.value;
  const choice = (label: string, chosen: EventFilter) => (
    <button key={label} type="button" class="quiet" onClick={() => setFilter(chosen)}>
      {label}
    </button>
  );
  const since = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS).toISOString();
  const field = (label: string, name: 'from' | 'to') => (
    <label class="field">
      <span class="muted">{label}</span>
      <input
        type="datetime-local"
        step="1"
        value={toLocal(filter.value[name] ?? '')}
        onChange={typing((local) => setFilter(withField(name, toIso(local))))}
      />
    </label>
  );
  return (
    <Menu label={words(from, to)} isSet={from !== '' || to !== ''}>
      {choice('Any time', others)}
      {Object.entries(SPANS).map(([label, minutes]) => choice(label, { ...others, from: since(minutes) }))}
      {field('From', 'from')}
      {field('To', 'to')}
    </Menu>
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
