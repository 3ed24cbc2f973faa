import { useState } from 'preact/hooks';
import type { PrimaryKeyChoices, PrimaryKeyPreview } from '../../src/admin/audience-contract.ts';
import { Dialog, Problem } from '../parts/dialog.tsx';
import { Field, Suggestions, useTyped } from '../parts/field.tsx';
import { formatCount, formatSome } from '../parts/text.tsx';
import { tell } from '../shell/ask.ts';
import { fieldError, useAnswer, useTask } from '../shell/asking.ts';

interface PrimaryKeyCardProps {
  /** Null if none is selected; undefined while that is not known. */
  readonly primaryKey: string | null | undefined;
  readonly onSelected: () => void;
}

/** Which attribute is the primary key, and what that means. */
export function PrimaryKeyCard({ primaryKey, onSelected }: PrimaryKeyCardProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="card row" aria-label="Primary key">
      {primaryKey === null ? (
        <div class="grow stack">
          <h2>No primary key is selected yet</h2>
          <p class="lead">
            Both endpoints refuse every request until you select the attribute that identifies a customer.
            Events name it in <code>correlationKey</code>.
          </p>
        </div>
      ) : (
        <div class="grow stack">
          <h2>
            Primary key <code>{primaryKey ?? '…'}</code>
          </h2>
          <p class="lead">
            This attribute identifies a customer. An event belongs to the customer whose value equals its{' '}
            <code>correlationValue</code>. The <code>correlationKey</code> of each event must be{' '}
            <code>{primaryKey ?? '…'}</code>.
          </p>
        </div>
      )}
      <button type="button" class={primaryKey === null ? 'main' : ''} onClick={() => setOpen(true)}>
        {primaryKey === null ? 'Select one' : 'Change'}
      </button>
      {isOpen && (
        <PrimaryKeyDialog
          onClose={() => setOpen(false)}
          onSelected={() => {
            setOpen(false);
            onSelected();
          }}
        />
      )}
    </section>
  );
}

interface PrimaryKeyDialogProps {
  readonly onClose: () => void;
  readonly onSelected: () => void;
}

/** Selects the primary key. First it shows what that means for the existing customers and events. */
function PrimaryKeyDialog({ onClose, onSelected }: PrimaryKeyDialogProps) {
  const { value: choices } = useAnswer<PrimaryKeyChoices>('/primary-key');
  const [settled, setSettled] = useState('');
  const [name, setName] = useTyped(settled, setSettled);
  const task = useTask();
  const isCurrent = name === choices?.primaryKey;
  const asked = settled === '' || settled !== name || isCurrent ? undefined : settled;
  const preview = useAnswer<PrimaryKeyPreview>(
    asked && `/primary-key/preview?primaryKey=${encodeURIComponent(asked)}`,
  );
  const suggestions = (choices?.attributes ?? ['email', 'phone_number'])
    .filter((each) => each !== choices?.primaryKey)
    .slice(0, 8)
    .map((each) => [each, each]);
  return (
    <Dialog
      title="Select the primary key"
      task={task}
      action="Select"
      isReady={name !== '' && !isCurrent}
      onClose={onClose}
      onAction={async () => {
        await tell('PUT', '/primary-key', { primaryKey: name });
        onSelected();
      }}
    >
      <Field
        label="Attribute"
        hint={
          isCurrent
            ? 'This is the primary key now.'
            : 'An attribute that has a different value for each customer.'
        }
        error={fieldError(task.error, 'primaryKey')}
      >
        {(input) => (
          <input
            {...input}
            value={name}
            placeholder="email"
            spellcheck={false}
            autocomplete="off"
            onInput={(event) => {
              setName(event.currentTarget.value);
              task.clear();
            }}
          />
        )}
      </Field>
      <Suggestions choices={Object.fromEntries(suggestions)} chosen={name} onChoose={setName} />
      <div aria-live="polite">{preview.value !== undefined && <Meaning preview={preview.value} />}</div>
      <Problem error={preview.error} />
    </Dialog>
  );
}

function Meaning({ preview }: { readonly preview: PrimaryKeyPreview }) {
  const { primaryKey, found, without, shared, events } = preview;
  return (
    <div class="stack">
      {shared !== null && (
        <p class="notice bad">
          Two customers have the same value, <code>{shared}</code>. You cannot select this attribute until you
          change one of them.
        </p>
      )}
      <ul class="bullets">
        <li>
          <strong>{formatSome(found, 'customer')}</strong> {found === 1 ? 'has' : 'have'} this attribute.
        </li>
        {without > 0 && (
          <li>
            <strong>{formatSome(without, 'customer')}</strong> {without === 1 ? 'does' : 'do'} not have it.
            The emulator keeps {without === 1 ? 'this customer' : 'these customers'}, but no longer finds{' '}
            {without === 1 ? 'it' : 'them'}.
          </li>
        )}
        {events.looked > 0 && (
          <li>
            Of the newest {formatSome(events.looked, 'event')},{' '}
            <strong>{formatCount(events.attributedThen)}</strong> would belong to a known customer. Now{' '}
            {formatCount(events.attributedNow)} do.
          </li>
        )}
        <li>
          From then on, the emulator refuses events without{' '}
          <code>"correlationKey": {JSON.stringify(primaryKey)}</code>.
        </li>
      </ul>
    </div>
  );
}
