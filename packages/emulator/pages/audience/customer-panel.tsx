import type { Customer } from '@sluice/protocol';
import { useEffect } from 'preact/hooks';
import type { CustomerRow, CustomerRows } from '../../src/admin/audience-contract.ts';
import { Ask } from '../parts/dialog.tsx';
import { EventLinks } from '../parts/event-links.tsx';
import { JsonForm } from '../parts/json-form.tsx';
import { SidePanel } from '../parts/side-panel.tsx';
import { escapeUnseen, shownText, Time } from '../parts/text.tsx';
import { ask, tell } from '../shell/ask.ts';
import { useAnswer } from '../shell/asking.ts';
import { useDraft } from '../shell/draft.ts';
import { status } from '../shell/live.ts';
import { here, link, replaceRoute } from '../shell/route.ts';

interface CustomerPanelProps {
  readonly id: number;
  readonly rows: readonly CustomerRow[] | undefined;
  /** Called when the customer was changed or deleted. */
  readonly onChanged: () => void;
}

/** A customer: attributes, which can be edited, and events. */
export function CustomerPanel({ id, rows, onChanged }: CustomerPanelProps) {
  const { primaryKey, audience } = status.value ?? {};
  const path = `/customers/${id}`;
  const answer = useAnswer<CustomerRow>(path, audience);
  const { value: row } = answer;
  const value = row?.primaryKeyValue ?? null;
  const name =
    value === null ? `Customer${row === undefined ? '' : ' without primary key'}` : shownText(value);
  return (
    <SidePanel title={name} answer={answer} rows={rows}>
      {row !== undefined && (
        <>
          {value === null && (
            <p class="notice">
              This customer has no <code>{primaryKey}</code>, which is the primary key. So the emulator keeps
              it, but does not find it, and no event belongs to it. Add one below.
            </p>
          )}
          <AttributesForm
            attributes={row.attributes}
            version={row.version}
            draftName={`customer ${id}`}
            action="Save"
            onSave={async (attributes, version) => {
              await tell<CustomerRow>('PUT', path, { attributes }, { 'if-match': `"${version}"` });
              onChanged();
              answer.again();
            }}
          />
          <div class="row">
            <Ask
              button="Delete"
              class="small is-bad"
              title="Delete this customer?"
              action="Delete"
              isDanger
              onAction={async () => {
                await ask(path, { method: 'DELETE' });
                onChanged();
                location.hash = here();
              }}
            >
              <p>
                <strong>{name}</strong> will no longer be found. Its events stay in the event tracker, without
                a customer.
              </p>
            </Ask>
          </div>
          {value !== null && <Timeline value={value} />}
        </>
      )}
    </SidePanel>
  );
}

/** The newest events of a customer. */
function Timeline({ value }: { readonly value: string }) {
  const query = { correlationValue: value };
  return (
    <EventLinks
      title="Newest events"
      of={{ ...query, limit: '30' }}
      query={query}
      aside={(row) => <Time value={row.receivedAt} />}
    >
      <a href={link(['tracker'], query)}>Show all in the event tracker</a>
    </EventLinks>
  );
}

interface NewCustomerPanelProps {
  readonly primaryKey: string;
  /** The customer's primary key value, if it is known. */
  readonly value: string | null;
  readonly onMade: () => void;
}

/** Creates a customer. If there is one with this primary key value, it opens that one instead. */
export function NewCustomerPanel({ primaryKey, value, onMade }: NewCustomerPanelProps) {
  const path = `/customers?limit=1&value=${encodeURIComponent(value ?? '')}`;
  const answer = useAnswer<CustomerRows>(value === null ? undefined : path);
  const [customer] = answer.value?.customers ?? [];
  const isNew = value === null || (answer.value !== undefined && customer === undefined);
  useEffect(() => {
    if (customer !== undefined) replaceRoute(here(customer.id));
  }, [customer]);
  return (
    <SidePanel title={value === null ? 'New customer' : shownText(value)} answer={answer}>
      {isNew && value !== null && (
        <p class="notice">
          No customer has this primary key. The emulator keeps its events. When you create the customer, they
          will belong to it.
        </p>
      )}
      {isNew && (
        <AttributesForm
          attributes={{ ...(primaryKey !== 'first_name' && { first_name: '' }), [primaryKey]: value ?? '' }}
          version=""
          draftName={`new customer ${value}`}
          action="Create"
          onSave={async (attributes) => {
            const { id } = await tell<CustomerRow>('POST', '/customers', { attributes });
            onMade();
            location.hash = here(id);
          }}
        />
      )}
      {value !== null && <Timeline value={value} />}
    </SidePanel>
  );
}

interface AttributesFormProps {
  readonly attributes: Customer;
  /** The version of the attributes; an empty text for a new customer. */
  readonly version: string;
  readonly draftName: string;
  readonly action: string;
  /** `version` is the one that the user began with. */
  readonly onSave: (attributes: unknown, version: string) => Promise<unknown>;
}

/** The attributes of a customer, to edit. */
function AttributesForm({ attributes, version, draftName, onSave, ...form }: AttributesFormProps) {
  // Each line by itself: line breaks stay.
  const lines = JSON.stringify(attributes, null, 2).split('\n').map(escapeUnseen);
  const draft = useDraft(draftName, () => ({ json: lines.join('\n'), version }));
  return (
    <JsonForm
      {...form}
      draft={draft}
      label="Attributes, as JSON"
      hint="What you type is kept until you save or discard it."
      onSave={(attributes) => onSave(attributes, draft.value.version)}
    />
  );
}
