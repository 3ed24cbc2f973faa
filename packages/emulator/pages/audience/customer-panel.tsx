import { useState } from 'preact/hooks';
import type { CustomerRow } from '../../src/admin/audience-contract.ts';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { CopyButton } from '../parts/dialogs/copy-button.tsx';
import { Problem } from '../parts/dialogs/problem.tsx';
import { SidePanel } from '../parts/side-panel.tsx';
import { shownText } from '../parts/text/shown-text.ts';
import { useAnswer } from '../shell/asking/answer.ts';
import { ask, tell } from '../shell/asking/ask.ts';
import { hasDraft } from '../shell/draft.ts';
import { status } from '../shell/live.ts';
import { attributeText } from './attribute-text.ts';
import { AttributesForm } from './attributes-form.tsx';
import { Timeline } from './timeline.tsx';

interface CustomerPanelProps {
  readonly id: number;
  readonly onClose: () => void;
  readonly onStep: (step: number) => void;
  /** Called when the customer was changed or deleted. */
  readonly onChanged: () => void;
}

/** A customer: attributes, which can be edited, and events. */
export function CustomerPanel({ id, onClose, onStep, onChanged }: CustomerPanelProps) {
  const primaryKey = status.value?.primaryKey ?? '';
  const { value: row, error, again } = useAnswer<CustomerRow>(`/customers/${id}`, status.value?.audience);
  const draftName = `customer ${id}`;
  const [isEditing, setEditing] = useState(hasDraft(draftName));
  const [isDeleting, setDeleting] = useState(false);
  const value = row?.primaryKeyValue;
  const name =
    typeof value === 'string'
      ? shownText(value)
      : `Customer${row === undefined ? '' : ' without primary key'}`;
  return (
    <SidePanel title={name} onClose={onClose} onStep={isEditing ? undefined : onStep}>
      <Problem error={error} onRetry={again} />
      {row !== undefined && isEditing && (
        <AttributesForm
          attributes={row.attributes}
          primaryKey={primaryKey}
          version={row.version}
          draftName={draftName}
          action="Save"
          onClose={() => setEditing(false)}
          onSave={async (attributes, version) => {
            const path = `/customers/${id}`;
            await tell<CustomerRow>('PUT', path, { attributes }, { 'if-match': `"${version}"` });
            onChanged();
            setEditing(false);
            again();
          }}
        />
      )}
      {row !== undefined && !isEditing && (
        <>
          {row.primaryKeyValue === null && (
            <p class="notice">
              This customer has no <code>{primaryKey}</code>, which is the primary key. So the emulator keeps
              it, but does not find it, and no event belongs to it. Edit it to add one.
            </p>
          )}
          <section class="stack" aria-label="Attributes">
            <div class="row">
              <h3 class="grow">Attributes</h3>
              <CopyButton
                text={JSON.stringify(row.attributes, null, 2)}
                label="Copy the attributes as JSON"
              />
              <button type="button" class="small" onClick={() => setEditing(true)}>
                Edit
              </button>
              <button type="button" class="small danger" onClick={() => setDeleting(true)}>
                Delete
              </button>
            </div>
            <Attributes row={row} />
          </section>
          {row.primaryKeyValue !== null && <Timeline value={row.primaryKeyValue} />}
        </>
      )}
      {isDeleting && (
        <Confirm
          title="Delete this customer?"
          action="Delete"
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await ask(`/customers/${id}`, { method: 'DELETE' });
            onChanged();
            onClose();
          }}
        >
          <p>
            <strong>{name}</strong> will no longer be found. Its events stay in the event tracker, without a
            customer.
          </p>
        </Confirm>
      )}
    </SidePanel>
  );
}

function Attributes({ row }: { readonly row: CustomerRow }) {
  return (
    <dl class="facts">
      {Object.entries(row.attributes).map(([name, value]) => (
        <div key={name} class="fact">
          <dt>{shownText(name)}</dt>
          <dd class={typeof value === 'string' ? '' : 'mono'}>{shownText(attributeText(value))}</dd>
        </div>
      ))}
    </dl>
  );
}
