import { useState } from 'preact/hooks';
import { Ask } from '../parts/dialog.tsx';
import { Field, typing } from '../parts/field.tsx';
import { tell } from '../shell/ask.ts';
import { fieldError, type Task } from '../shell/asking.ts';

interface PrimaryKeyCardProps {
  /** Null if none is selected; undefined while that is not known. */
  readonly primaryKey: string | null | undefined;
  readonly onSelected: () => void;
}

/** Which attribute is the primary key, and what that means. */
export function PrimaryKeyCard({ primaryKey, onSelected }: PrimaryKeyCardProps) {
  const [name, setName] = useState('');
  const isNone = primaryKey === null;
  const key = <code>{primaryKey ?? '…'}</code>;
  return (
    <section class="card" aria-label="Primary key">
      <div class="row">
        <h2 class="grow">{isNone ? 'No primary key is selected yet' : ['Primary key ', key]}</h2>
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
      </div>
      {isNone ? (
        <p class="muted">
          Both endpoints refuse every request until you select the attribute that identifies a customer.
          Events name it in <code>correlationKey</code>.
        </p>
      ) : (
        <p class="muted">
          This attribute identifies a customer. An event belongs to the customer whose value equals its{' '}
          <code>correlationValue</code>. The <code>correlationKey</code> of each event must be {key}.
        </p>
      )}
    </section>
  );
}

interface KeyChoiceProps {
  readonly name: string;
  readonly onChange: (name: string) => void;
  readonly task: Task;
}

/** The attribute to select. */
function KeyChoice({ name, onChange, task }: KeyChoiceProps) {
  const change = (changed: string) => {
    onChange(changed);
    task.clear();
  };
  return (
    <>
      <Field
        label="Attribute"
        hint="Its value must be another for each customer."
        error={fieldError(task.error, 'primaryKey')}
      >
        {(input) => (
          <input
            {...input}
            value={name}
            placeholder="email"
            spellcheck={false}
            autocomplete="off"
            onInput={typing(change)}
          />
        )}
      </Field>
      <p class="muted">
        From then on, the emulator refuses events with another <code>correlationKey</code>. It keeps customers
        without this attribute, but no longer finds them.
      </p>
    </>
  );
}
