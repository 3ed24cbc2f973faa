import { useId, useState } from 'preact/hooks';
import type { TrackerFilter, TrackerValues } from '../../src/admin/contract.ts';
import { Menu } from '../parts/dialog.tsx';
import { SearchField, typing } from '../parts/field.tsx';
import { formatCount } from '../parts/text.tsx';
import { useAnswer } from '../shell/asking.ts';
import { link, pushRoute, route, setQuery } from '../shell/route.ts';

const MINUTE_MS = 60_000;
const SPANS = { 'Any time': 0, 'Last 5 minutes': 5, 'Last hour': 60, 'Last 24 hours': 24 * 60 };

/** What to search: text, name, customer, source, payload, time, and whether the customer exists; and what is shown in columns. */
export function FilterBar() {
  const { query, rest } = route.value;
  const reset = () => pushRoute(link(['tracker', ...rest]));
  return (
    <search class="filter-bar row">
      <SearchField
        field="text"
        label="Search in names, customers and payloads"
        placeholder="Search names, customers, payloads"
      />
      <FilterField field="name" label="Event name" hasValues />
      <FilterField field="correlationValue" label="Customer" hasValues />
      <FilterField field="source" label="Source" hasValues />
      <FilterField
        field="payload"
        label="Payload"
        placeholder="payload.a > 1"
        title={'Conditions, joined by and: payload.total > 100 and payload.items[0].sku = "A-1"'}
      />
      <select
        class={query.attributed && 'is-set'}
        aria-label="Customers"
        value={query.attributed ?? ''}
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
        placeholder="Columns"
        title="Keys of payloads as columns: payload.total, payload.items[0].sku"
      />
      {Object.keys(query).length > 0 && (
        <button type="button" class="quiet" onClick={reset}>
          Reset filters
        </button>
      )}
    </search>
  );
}

interface FilterFieldProps {
  /** The field of the query. */
  readonly field: keyof TrackerFilter | 'keys';
  readonly label: string;
  readonly placeholder?: string;
  readonly title?: string;
  /** Whether it offers the values in use that begin with what is typed. */
  readonly hasValues?: boolean;
}

/** A field that applies when the user presses Enter, leaves it, or chooses a value. */
function FilterField({ field, label, placeholder = label, title, hasValues = false }: FilterFieldProps) {
  const value = route.value.query[field] ?? '';
  const listId = useId();
  const [typed, setTyped] = useState<string | undefined>();
  const path = `/events/values?${new URLSearchParams({ field, start: typed ?? '' })}`;
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
  const { query } = route.value;
  const since = (minutes: number) => {
    const start = new Date(Date.now() - minutes * MINUTE_MS);
    setQuery({ from: minutes === 0 ? '' : start.toISOString(), to: '' });
  };
  const field = (label: string, name: 'from' | 'to', time = query[name]) => (
    <label class="field">
      <span class="muted">{label}</span>
      <input
        type="datetime-local"
        step="1"
        // Swedish times are ISO 8601, in the user's time zone. The field takes no invalid one.
        value={time ? new Date(time).toLocaleString('sv').replace(' ', 'T') : ''}
        onChange={typing((local) => setQuery({ [name]: local && new Date(local).toISOString() }))}
      />
    </label>
  );
  return (
    <Menu label="Time" isSet={Boolean(query.from ?? query.to)}>
      {Object.entries(SPANS).map(([label, minutes]) => (
        <button key={label} type="button" class="quiet" onClick={() => since(minutes)}>
          {label}
        </button>
      ))}
      {field('From', 'from')}
      {field('To', 'to')}
    </Menu>
  );
}
