import { useEffect, useState } from 'preact/hooks';
import type { PrimaryKeyChoices, PrimaryKeyPreview } from '../../src/admin/audience-contract.ts';
import { Ask, Problem } from '../parts/dialog.tsx';
import { Field, Suggestions, typing, useTyped } from '../parts/field.tsx';
import { formatCount, formatSome } from '../parts/text.tsx';
import { tell } from '../shell/ask.ts';
import { fieldError, type Task, useAnswer } from '../shell/asking.ts';

interface PrimaryKeyCardProps {
  /** Null if none is selected; undefined while that is not known. */
  readonly primaryKey: string | null | undefined;
  readonly onSelected: () => void;
}

/** Which attribute is the primary key, and what that means. */
export function PrimaryKeyCard({ primaryKey, onSelected }: PrimaryKeyCardProps) {
  const [name, setName] = useState('');
  const isNone = primaryKey === null;
  return (
    <section class="card row" aria-label="Primary key">
      {isNone ? (
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
      <Ask
        button={isNone ? 'Select one' : 'Change'}
        class={isNone ? 'main' : ''}
        title="Select the primary key"
        action="Select"
        isReady={name !== '' && name !== primaryKey}
        onAction={() => tell('PUT', '/primary-key', { primaryKey: name }).then(onSelected)}
      >
        {(task) => <KeyChoice name={name} onChange={setName} task={task} />}
      </Ask>
    </section>
  );
}

interface KeyChoiceProps {
  readonly name: string;
  readonly onChange: (name: string) => void;
  readonly task: Task;
}

/** The attribute to select. It shows what that means for the existing customers and events. */
function KeyChoice({ name, onChange, task }: KeyChoiceProps) {
  const { value: choices } = useAnswer<PrimaryKeyChoices>('/primary-key');
  const [settled, setSettled] = useState('');
  const [typed, setTyped] = useTyped(settled, setSettled);
  useEffect(() => {
    onChange(typed);
    task.clear();
  }, [typed]);
  const isCurrent = name === choices?.primaryKey;
  const asked = settled === '' || settled !== typed || isCurrent ? undefined : settled;
  const preview = useAnswer<PrimaryKeyPreview>(
    asked && `/primary-key/preview?primaryKey=${encodeURIComponent(asked)}`,
  );
  const suggestions = (choices?.attributes ?? ['email', 'phone_number'])
    .filter((each) => each !== choices?.primaryKey)
    .slice(0, 8)
    .map((each) => [each, each]);
  return (
    <>
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
            value={typed}
            placeholder="email"
            spellcheck={false}
            autocomplete="off"
            onInput={typing(setTyped)}
          />
        )}
      </Field>
      <Suggestions choices={Object.fromEntries(suggestions)} chosen={typed} onChoose={setTyped} />
      <div aria-live="polite">{preview.value !== undefined && <Meaning preview={preview.value} />}</div>
      <Problem error={preview.error} />
    </>
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
