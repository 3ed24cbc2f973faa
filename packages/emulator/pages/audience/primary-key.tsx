import { useId } from 'preact/hooks';
import { Ask } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
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
  const namesId = useId();
  const isNone = primaryKey === null;
  return (
    <section class="card" aria-label="Primary key">
      <div class="row">
        <h2 class="grow">
          {isNone ? 'No primary key is selected yet' : 'Primary key '}
          {!isNone && <code>{primaryKey ?? '…'}</code>}
        </h2>
        <Ask
          button={isNone ? 'Select one' : 'Change'}
          class={isNone ? 'main' : ''}
          title="Select the primary key"
          action="Select"
          onAction={(fields) => tell('PUT', '/primary-key', Object.fromEntries(fields)).then(onSelected)}
        >
          <p>
            Once you select it, the emulator refuses events with another <code>correlationKey</code>. It keeps
            customers without this attribute, but no longer finds them.
          </p>
          <Field label="Attribute" hint="Each customer needs a different value.">
            <input
              name="primaryKey"
              list={namesId}
              placeholder="email"
              spellcheck={false}
              autocomplete="off"
              required
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
        {isNone && 'Both endpoints refuse every request until you select one. '}
        The primary key identifies a customer. Each event names it in <code>correlationKey</code>, and belongs
        to the customer whose value equals its <code>correlationValue</code>, even if it arrived before the
        customer.
      </p>
    </section>
  );
}
