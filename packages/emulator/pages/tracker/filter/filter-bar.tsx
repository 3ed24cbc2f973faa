import { useState } from 'preact/hooks';
import { SearchField } from '../../parts/search-field.tsx';
import { type EventFilter, type FilterField, withField } from './event-filter.ts';
import { TimeFilter } from './time-filter.tsx';
import { ValueField } from './value-field.tsx';

interface FilterBarProps {
  readonly filter: EventFilter;
  readonly onChange: (filter: EventFilter) => void;
}

/** What to search: text, name, customer, source, payload, time, and whether the customer exists; and what is shown in columns. */
export function FilterBar({ filter, onChange }: FilterBarProps) {
  const [isUnfolded, setUnfolded] = useState(false);
  const others = Object.keys(withField(filter, 'text', '')).length;
  const set = (field: FilterField) => (value: string) => onChange(withField(filter, field, value));
  return (
    <search class={`filter-bar ${isUnfolded ? 'is-unfolded' : ''}`}>
      <SearchField
        class={`filter-text ${filter.text === undefined ? '' : 'is-set'}`}
        label="Search in names, customers and payloads"
        placeholder="Search names, customers, payloads"
        value={filter.text ?? ''}
        onChange={set('text')}
      />
      <button
        type="button"
        class={`filter-more ${others > 0 ? 'is-set' : ''}`}
        aria-expanded={isUnfolded}
        onClick={() => setUnfolded(!isUnfolded)}
      >
        {others > 0 ? `Filters (${others})` : 'Filters'}
      </button>
      <ValueField field="name" label="Event name" value={filter.name ?? ''} onChange={set('name')} />
      <ValueField
        field="correlationValue"
        label="Customer"
        value={filter.correlationValue ?? ''}
        onChange={set('correlationValue')}
      />
      <ValueField field="source" label="Source" value={filter.source ?? ''} onChange={set('source')} />
      <input
        type="search"
        class={`filter-payload ${filter.payload === undefined ? '' : 'is-set'}`}
        aria-label="Payload"
        placeholder="payload.total > 100"
        title={'Conditions, joined by and: payload.total > 100 and payload.items[0].sku = "A-1"'}
        autocomplete="off"
        value={filter.payload ?? ''}
        onChange={({ currentTarget }) => set('payload')(currentTarget.value)}
      />
      <select
        aria-label="Customers"
        class={filter.attributed === undefined ? undefined : 'is-set'}
        value={filter.attributed ?? ''}
        onChange={({ currentTarget }) => set('attributed')(currentTarget.value)}
      >
        <option value="">Any customer</option>
        <option value="true">Known customers</option>
        <option value="false">No such customer</option>
      </select>
      <TimeFilter filter={filter} onChange={onChange} />
      <input
        type="search"
        class={`filter-payload ${filter.keys === undefined ? '' : 'is-set'}`}
        aria-label="Keys as columns"
        placeholder="Columns: payload.total, …"
        title="Keys of payloads as columns: payload.total, payload.items[0].sku"
        autocomplete="off"
        value={filter.keys ?? ''}
        onChange={({ currentTarget }) => set('keys')(currentTarget.value)}
      />
      {Object.keys(filter).length > 0 && (
        <button type="button" class="quiet" onClick={() => onChange({})}>
          Reset filters
        </button>
      )}
    </search>
  );
}
