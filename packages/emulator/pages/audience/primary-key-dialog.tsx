import { useEffect, useId, useState } from 'preact/hooks';
import type { PrimaryKeyChoices, PrimaryKeyPreview } from '../../src/admin/contract.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { formatCount, formatSome } from '../parts/numbers.ts';
import { Problem } from '../parts/problem.tsx';
import { useAnswer } from '../shell/answer.ts';
import { tell } from '../shell/ask.ts';
import { fieldError, useTask } from '../shell/task.ts';

const TYPING_MS = 250;

interface PrimaryKeyDialogProps {
  readonly onClose: () => void;
  readonly onSelected: () => void;
}

/** Selects the primary key. First it shows what that means for the existing customers and events. */
export function PrimaryKeyDialog({ onClose, onSelected }: PrimaryKeyDialogProps) {
  const { value: choices } = useAnswer<PrimaryKeyChoices>('/primary-key');
  const [name, setName] = useState('');
  const [settled, setSettled] = useState('');
  const task = useTask();
  const listId = useId();
  useEffect(() => {
    const timer = setTimeout(() => setSettled(name), TYPING_MS);
    return () => clearTimeout(timer);
  }, [name]);
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
              : 'The name of an attribute that each customer has a value of its own of.'
          }
          error={fieldError(task.error, 'primaryKey')}
        >
          {(input) => (
            <input
              {...input}
              list={listId}
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
        <datalist id={listId}>
          {suggestions.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
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
          Two customers have the value <code>{shared}</code> of it: while they do, it will be refused.
        </li>
      )}
      <li>
        <strong>{formatSome(found, 'customer')}</strong> {found === 1 ? 'has' : 'have'} a value of it, to be
        found by.
      </li>
      {without > 0 && (
        <li>
          <strong>{formatSome(without, 'customer')}</strong> {without === 1 ? 'lacks' : 'lack'} it, and{' '}
          {without === 1 ? 'is' : 'are'} kept, but not found any more.
        </li>
      )}
      {events.looked > 0 && (
        <li>
          Of the newest {formatSome(events.looked, 'event')},{' '}
          <strong>{formatCount(events.attributedThen)}</strong> would be of a known customer; now it is{' '}
          {formatCount(events.attributedNow)}.
        </li>
      )}
      <li>
        At once, batches must say <code>"correlationKey": {JSON.stringify(primaryKey)}</code>; all others are
        refused.
      </li>
    </ul>
  );
}
