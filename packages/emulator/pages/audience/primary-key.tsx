import { useId, useState } from 'preact/hooks';
import { Ask } from '../parts/dialog.tsx';
import { Field, typing } from '../parts/field.tsx';
import { tell } from '../shell/ask.ts';

interface PrimaryKeyCardProps {
  /** Null if none is selected; undefined while that is not known. */
  readonly primaryKey: string | null | undefined;
  /** Names of attributes that customers have. */
  readonly names: readonly string[];
  readonly onSelected: () => void;
}

/** Which attribute is the primary key, and what that means. */
export function PrimaryKeyCard({ primaryKey, names, onSelected }: PrimaryKeyCardProps) {
  const [name, setName] = useState('');
  const namesId = useId();
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
          <p>
            From then on, the emulator refuses events with another <code>correlationKey</code>. It keeps
            customers without this attribute, but no longer finds them.
          </p>
          <Field label="Attribute" hint="Its value must be another for each customer.">
            <input
              list={namesId}
              value={name}
              placeholder="email"
              spellcheck={false}
              autocomplete="off"
              onInput={typing(setName)}
            />
          </Field>
          <datalist id={namesId}>
            {names.map((each) => (
              <option key={each} value={each} />
            ))}
          </datalist>
        </Ask>
      </div>
      <p class="muted">
        {isNone ? (
          <>
            Both endpoints refuse every request until you select the attribute that identifies a customer.
            Events name it in <code>correlationKey</code>.
          </>
        ) : (
          <>
            This attribute identifies a customer. An event belongs to the customer whose value equals its{' '}
            <code>correlationValue</code>. The <code>correlationKey</code> of each event must be {key}.
          </>
        )}
      </p>
    </section>
  );
}
