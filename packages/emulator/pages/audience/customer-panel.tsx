import { useState } from 'preact/hooks';
import type { CustomerRow } from '../../src/admin/audience-contract.ts';
import { CopyButton } from '../parts/copy.tsx';
import { Ask, Problem } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { SidePanel } from '../parts/side-panel.tsx';
import { shownText } from '../parts/text.tsx';
import { ask, tell } from '../shell/ask.ts';
import { useAnswer } from '../shell/asking.ts';
import { hasDraft } from '../shell/draft.ts';
import { status } from '../shell/live.ts';
import { here } from '../shell/route.ts';
import type { Rows } from '../shell/rows.ts';
import { AttributesForm } from './attributes-form.tsx';
import { attributeText } from './customer-columns.tsx';
import { Timeline } from './timeline.tsx';

interface CustomerPanelProps {
  readonly id: number;
  readonly rows: Rows<CustomerRow>;
  /** Called when the customer was changed or deleted. */
  readonly onChanged: () => void;
}

/** A customer: attributes, which can be edited, and events. */
export function CustomerPanel({ id, rows, onChanged }: CustomerPanelProps) {
  const { primaryKey, audience } = status.value ?? {};
  const path = `/customers/${id}`;
  const { value: row, error, again } = useAnswer<CustomerRow>(path, audience);
  const draftName = `customer ${id}`;
  const [isEditing, setEditing] = useState(hasDraft(draftName));
  const { attributes = {}, version = '', primaryKeyValue: value = null } = row ?? {};
  const name =
    value === null ? `Customer${row === undefined ? '' : ' without primary key'}` : shownText(value);
  return (
    <SidePanel title={name} rows={isEditing ? undefined : rows}>
      <Problem error={error} onRetry={again} />
      {row !== undefined && isEditing && (
        <AttributesForm
          attributes={attributes}
          primaryKey={primaryKey ?? ''}
          version={version}
          draftName={draftName}
          action="Save"
          onClose={() => setEditing(false)}
          onSave={async (attributes, version) => {
            await tell<CustomerRow>('PUT', path, { attributes }, { 'if-match': `"${version}"` });
            onChanged();
            setEditing(false);
            again();
          }}
        />
      )}
      {row !== undefined && !isEditing && (
        <>
          {value === null && (
            <p class="notice">
              This customer has no <code>{primaryKey}</code>, which is the primary key. So the emulator keeps
              it, but does not find it, and no event belongs to it. Edit it to add one.
            </p>
          )}
          <section class="stack" aria-label="Attributes">
            <div class="row">
              <h3 class="grow">Attributes</h3>
              <CopyButton text={JSON.stringify(attributes, null, 2)} label="Copy the attributes as JSON" />
              <button type="button" class="small" onClick={() => setEditing(true)}>
                Edit
              </button>
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
                  <strong>{name}</strong> will no longer be found. Its events stay in the event tracker,
                  without a customer.
                </p>
              </Ask>
            </div>
            <Facts
              of={Object.entries(attributes).map(([name, value]) => [
                shownText(name),
                <span key={name} class={typeof value === 'string' ? '' : 'mono'}>
                  {shownText(attributeText(value))}
                </span>,
              ])}
            />
          </section>
          {value !== null && <Timeline value={value} />}
        </>
      )}
    </SidePanel>
  );
}
