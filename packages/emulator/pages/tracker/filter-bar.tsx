import { useId, useState } from 'preact/hooks';
import type { TrackerValues } from '../../src/admin/contract.ts';
import { Menu } from '../parts/dialog.tsx';
import { SearchField, typing } from '../parts/field.tsx';
import { formatCount } from '../parts/text.tsx';
import { useAnswer } from '../shell/asking.ts';
import { link, pushRoute, route, setQuery } from '../shell/route.ts';
import { type FilterName, filter } from './event-filter.ts';

const MINUTE_MS = 60_000;
const SPANS: Readonly<Record<string, number>> = {
  'Any time': 0,
  'Last 5 minutes': 5,
  'Last hour': 60,
  'Last 24 hours': 24 * 60,
};

/** What to search: text, name, customer, source, payload, time, and whether the customer exists; and what is shown in columns. */
export function FilterBar() {
  const text = filter.value.text ?? '';
  return (
    <search class="filter-bar row">
      <SearchField
        label="Search in names, customers and payloads"
        placeholder="Search names, customers, payloads"
        class={text && 'is-set'}
        value={text}
        onChange={(text) => setQuery({ text }, 'text')}
      />
      <FilterField field="name" label="Event name" hasValues />
      <FilterField field="correlationValue" label="Customer" hasValues />
      <FilterField field="source" label="Source" hasValues />
      <FilterField
        field="payload"
        label="Payload"
        placeholder="payload.total > 100"
        title={'Conditions, joined by and: payload.total > 100 and payload.items[0].sku = "A-1"'}
      />
      <select
        class={filter.value.attributed && 'is-set'}
        aria-label="Customers"
        value={filter.value.attributed ?? ''}
        onChange={typing((attributed) => setQuery({ attributed }))}
      >
        <option value="">Any customer</option>
        <option value="true">Known customers</option>
        <option value="false">No such customer</option>
      </select>
      <TimeFilter />
      <FilterField
        field="keys"
        label="Keys as columns"
        placeholder="Columns: payload.total, …"
        title="Keys of payloads as columns: payload.total, payload.items[0].sku"
      />
      {Object.keys(filter.value).length > 0 && (
        <button
          type="button"
          class="quiet"
          onClick={() => pushRoute(link(['tracker', ...route.peek().rest]))}
        >
          Reset filters
        </button>
      )}
    </search>
  );
}

interface FilterFieldProps {
  readonly field: FilterName;
  readonly label: string;
  readonly placeholder?: string;
  readonly title?: string;
  /** Whether it offers the values in use that begin with what is typed. */
  readonly hasValues?: boolean;
}

/** A field that applies when the user presses Enter, leaves it, or chooses a value. */
function FilterField({ field, label, placeholder = label, title, hasValues = false }: FilterFieldProps) {
  const value = filter.value[field] ?? '';
  const listId = useId();
  const [typed, setTyped] = useState<string | undefined>();
  const path = `/tracker/values?${new URLSearchParams({ field, start: typed ?? '' })}`;
  const { value: answer } = useAnswer<TrackerValues>(hasValues && typed !== undefined ? path : undefined);
  const apply = (applied: string) => {
    setTyped(undefined);
    setQuery({ [field]: applied });
  };
  return (
    <>
      <input
        type="search"
        class={value && 'is-set'}
        aria-label={label}
        placeholder={placeholder}
        title={title}
        list={listId}
        autocomplete="off"
        value={typed ?? value}
        onFocus={typing(setTyped)}
        onInput={(event) => {
          // The event of typing says what it inserts; that of choosing says that it replaces the text, or nothing.
          const isTyped = event instanceof InputEvent && event.inputType !== 'insertReplacementText';
          typing(isTyped && event.currentTarget.value !== '' ? setTyped : apply)(event);
        }}
        onChange={typing(apply)}
        onBlur={() => setTyped(undefined)}
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
  const { from = '', to = '' } = filter.value;
  const since = (minutes: number) =>
    minutes === 0 ? '' : new Date(Date.now() - minutes * MINUTE_MS).toISOString();
  const field = (label: string, name: 'from' | 'to') => (
    <label class="field">
      <span class="muted">{label}</span>
      <input
        type="datetime-local"
        step="1"
        value={toLocal(filter.value[name] ?? '')}
        onChange={typing((local) => setQuery({ [name]: toIso(local) }))}
      />
    </label>
  );
  return (
    <Menu label="Time" isSet={from !== '' || to !== ''}>
      {Object.entries(SPANS).map(([label, minutes]) => (
        <button
          key={label}
          type="button"
          class="quiet"
          onClick={() => setQuery({ from: since(minutes), to: '' })}
        >
          {label}
        </button>
      ))}
      {field('From', 'from')}
      {field('To', 'to')}
    </Menu>
  );
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
