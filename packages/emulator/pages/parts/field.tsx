import { cloneElement, type VNode } from 'preact';
import { useId } from 'preact/hooks';
import { route, setQuery } from '../shell/route.ts';
import { Problem } from './dialog.tsx';

interface FieldProps {
  readonly label: string;
  readonly hint: string;
  /** Why the input was refused. */
  readonly error?: unknown;
  /** The input. */
  readonly children: VNode;
}

/** An input with its label, a hint, and what is wrong with it. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const input = { id, 'aria-describedby': `${id}-hint`, 'aria-invalid': error !== undefined };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {cloneElement(children, input)}
      <p id={`${id}-hint`} class="muted small">
        {hint}
      </p>
      <Problem of={{ error }} />
    </div>
  );
}

/** Handles the input of a field. */
export function typing(onChange: (value: string) => void) {
  return (event: { readonly currentTarget: { readonly value: string } }): void =>
    onChange(event.currentTarget.value);
}

interface ChoiceProps {
  /** What the user chooses. */
  readonly label: string;
  /** The options by name: the title of each, or a sentence about it. */
  readonly choices: Readonly<Record<string, string | { readonly about: string }>>;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A choice between a few options. */
export function Choice({ label, choices, value, onChange }: ChoiceProps) {
  const name = useId();
  return (
    <fieldset class="row" aria-label={label}>
      {Object.entries(choices).map(([each, choice]) => (
        <label key={each}>
          <input type="radio" name={name} checked={each === value} onChange={() => onChange(each)} />
          <span>
            {typeof choice === 'string' ? choice : <strong>{each}</strong>}
            {typeof choice === 'object' && <small>{choice.about}</small>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

interface SearchFieldProps {
  /** The field of the address's query that has what is searched. */
  readonly field: string;
  readonly label: string;
  readonly placeholder: string;
}

/** The search of a page, which follows what the user types. The key `/` moves the focus to it. */
export function SearchField({ field, label, placeholder }: SearchFieldProps) {
  const value = route.value.query[field] ?? '';
  return (
    <input
      type="search"
      class={value ? 'grow is-set' : 'grow'}
      aria-label={label}
      placeholder={placeholder}
      title="Press / to search"
      value={value}
      onInput={typing((typed) => setQuery({ [field]: typed }, field))}
    />
  );
}
