import { useState } from 'preact/hooks';
import type { PrimaryKeyChoices, PrimaryKeyPreview } from '../../../src/admin/audience-contract.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Problem } from '../../parts/dialogs/problem.tsx';
import { Field } from '../../parts/field.tsx';
import { formatCount, formatSome } from '../../parts/text/numbers.ts';
import { useTyped } from '../../parts/text/typed.ts';
import { useAnswer } from '../../shell/asking/answer.ts';
import { tell } from '../../shell/asking/ask.ts';
import { fieldError, useTask } from '../../shell/asking/task.ts';

interface PrimaryKeyDialogProps {
  readonly onClose: () => void;
  readonly onSelected: () => void;
}

/** Selects the primary key. First it shows what that means for the existing customers and events. */
export function PrimaryKeyDialog({ onClose, onSelected }: PrimaryKeyDialogProps) {
  const { value: choices } = useAnswer<PrimaryKeyChoices>('/primary-key');
  const [settled, setSettled] = useState('');
  const [name, setName] = useTyped(settled, setSettled);
  const task = useTask();
  const isCurrent = name === choices?.primaryKey;
  const asked = settled === '' || settled !== name || isCurrent ? undefined : settled;
  const preview = useAnswer<PrimaryKeyPreview>(
    asked && `/primary-key/preview?primaryKey=${encodeURIComponent(asked)}`,
  );
  const select = (event: Event) => {
    event.preventDefault();
    task.run(async () => {
      await tell('PUT', '/primary-key', { primaryKey: name });
      onSelected();
    });
  };
  const suggestions = (choices?.attributes ?? ['email', 'phone_number']).filter(
    (each) => each !== choices?.primaryKey,
  );
  return (
    <Dialog title="Select the primary key" onClose={onClose}>
      <form class="stack" onSubmit={select} noValidate>
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
        {suggestions.length > 0 && (
          <div class="row suggestions">
            {suggestions.slice(0, 8).map((each) => (
              <button
                key={each}
                type="button"
                class="small"
                aria-pressed={each === name}
                onClick={() => setName(each)}
              >
                {each}
              </button>
            ))}
          </div>
        )}
        <div aria-live="polite">{preview.value !== undefined && <Meaning preview={preview.value} />}</div>
        <Problem error={preview.error ?? task.error} />
        <div class="row end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="main" disabled={task.isRunning || name === '' || isCurrent}>
            Select
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Meaning({ preview }: { readonly preview: PrimaryKeyPreview }) {
  const { primaryKey, found, without, shared, events } = preview;
  return (
    <ul class="meaning">
      {shared !== null && (
        <li class="problem">
          Two customers have the same value, <code>{shared}</code>. You cannot select this attribute until you
          change one of them.
        </li>
      )}
      <li>
        <strong>{formatSome(found, 'customer')}</strong> {found === 1 ? 'has' : 'have'} this attribute.
      </li>
      {without > 0 && (
        <li>
          <strong>{formatSome(without, 'customer')}</strong> {without === 1 ? 'does' : 'do'} not have it. The
          emulator keeps {without === 1 ? 'this customer' : 'these customers'}, but no longer finds{' '}
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
  );
}
