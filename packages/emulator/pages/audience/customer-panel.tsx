import { useEffect } from 'preact/hooks';
import type { CustomerRow, CustomerRows } from '../../src/admin/audience-contract.ts';
import { Ask } from '../parts/dialog.tsx';
import { EventLinks } from '../parts/event-links.tsx';
import { JsonForm } from '../parts/json-form.tsx';
import { SidePanel } from '../parts/side-panel.tsx';
import { escapeUnseen, shownText, Time } from '../parts/text.tsx';
import { ask, tell } from '../shell/ask.ts';
import { useAnswer } from '../shell/asking.ts';
import { status } from '../shell/live.ts';
import { here, link, replaceRoute } from '../shell/route.ts';

interface CustomerPanelProps {
  /** Undefined for a new customer, and for the one that has `value`, if there is one. */
  readonly id: number | undefined;
  /** The primary key value that the address names. */
  readonly value: string | undefined;
  readonly primaryKey: string;
  readonly rows: readonly CustomerRow[] | undefined;
  /** Called when the customer was made, changed or deleted. */
  readonly onChanged: () => void;
}

/** A customer, also one who is not there yet: attributes, which can be edited, and events. */
export function CustomerPanel({ id, value, primaryKey, rows, onChanged }: CustomerPanelProps) {
  const sought = value === undefined ? undefined : `/customers?limit=1&value=${encodeURIComponent(value)}`;
  const path = id === undefined ? sought : `/customers/${id}`;
  const answer = useAnswer<CustomerRow | CustomerRows>(path, status.value?.audience);
  const row = answer.value && 'customers' in answer.value ? answer.value.customers[0] : answer.value;
  const key = row ? row.primaryKeyValue : (value ?? null);
  const name = key === null ? (id === undefined ? 'New customer' : `Customer ${id}`) : shownText(key);
  const isNew = id === undefined && !row && (value === undefined || answer.value !== undefined);
  useEffect(() => {
    if (row && id === undefined) replaceRoute(here(row.id));
  }, [row, id]);
  const save = async (attributes: unknown, version: string) => {
    if (row) await tell('PUT', `/customers/${row.id}`, { attributes }, { 'if-match': `"${version}"` });
    else location.hash = here((await tell<CustomerRow>('POST', '/customers', { attributes })).id);
    onChanged();
    answer.again();
  };
  const remove = async () => {
    await ask(`/customers/${id}`, { method: 'DELETE' });
    onChanged();
    location.hash = here();
  };
  const attributes = row?.attributes ?? { first_name: '', [primaryKey]: value ?? '' };
  // Each line by itself: line breaks stay.
  const lines = JSON.stringify(attributes, null, 2).split('\n').map(escapeUnseen);
  return (
    <SidePanel title={name} answer={answer} rows={row && rows}>
      {row && key === null && (
        <p class="notice">
          This customer has no <code>{primaryKey}</code>, which is the primary key. So the emulator keeps it,
          but does not find it, and no event belongs to it. Add one below.
        </p>
      )}
      {isNew && key !== null && (
        <p class="notice">
          No customer has this primary key. The emulator keeps its events. When you create the customer, they
          will belong to it.
        </p>
      )}
      {(row || isNew) && (
        <JsonForm
          name={row ? `customer ${row.id}` : `new customer ${key}`}
          first={{ json: lines.join('\n'), of: row?.version ?? '' }}
          label="Attributes, as JSON"
          hint="What you type is kept until you save it. Discard brings back what is stored."
          action={row ? 'Save' : 'Create'}
          onSave={save}
        />
      )}
      {row && (
        <div class="row">
          <Ask
            button="Delete"
            class="small bad"
            title="Delete this customer?"
            action="Delete"
            isDanger
            onAction={remove}
          >
            <p>
              <strong>{name}</strong> will no longer be found. Its events stay in the event tracker, without a
              customer.
            </p>
          </Ask>
        </div>
      )}
      {key !== null && (
        <EventLinks
          title="Newest events"
          of={{ correlationValue: key, limit: '30' }}
          query={{ correlationValue: key }}
          aside={({ receivedAt }) => <Time value={receivedAt} />}
        >
          <a href={link(['tracker'], { correlationValue: key })}>Show all in the event tracker</a>
        </EventLinks>
      )}
    </SidePanel>
  );
}
