import type { ComponentChildren, VNode } from 'preact';
import { useId } from 'preact/hooks';

/** The attributes that an input gets from its field. */
interface FieldInput {
  readonly id: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
}

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** What is wrong with the input. It is shown next to it. */
  readonly error?: string | undefined;
  readonly children: (input: FieldInput) => VNode;
}

/** An input with its label, a hint and its error. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const input = { id, 'aria-describedby': `${id}-about`, 'aria-invalid': error !== undefined };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(input)}
      <div id={`${id}-about`} class="small">
        {error !== undefined && <p class="is-bad">{error}</p>}
        {hint !== undefined && <p class="muted">{hint}</p>}
      </div>
    </div>
  );
}

/** Handles the input of a field. */
export function typing(onChange: (value: string) => void) {
  return (event: { readonly currentTarget: { readonly value: string } }): void =>
    onChange(event.currentTarget.value);
}

interface ChoiceProps<T extends string> {
  /** What the user chooses. */
  readonly label: string;
  /** The options by name: the title of each, or a sentence about it. */
  readonly choices: Readonly<Record<T, string | { readonly about: string }>>;
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** A choice between a few options. */
export function Choice<T extends string>({ label, choices, value, onChange }: ChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset class="row" aria-label={label}>
      {Object.entries<ChoiceProps<T>['choices'][T]>(choices).map(([each, choice]) => (
        <label key={each}>
          <input type="radio" name={name} checked={each === value} onChange={() => onChange(each as T)} />
          {typeof choice === 'string' ? choice : <strong>{each}</strong>}
          {typeof choice === 'object' && <small>{choice.about}</small>}
        </label>
      ))}
    </fieldset>
  );
}

interface SearchFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly class?: string;
  readonly onChange: (value: string) => void;
}

/** The search of a page. The key `/` moves the focus to it. */
export function SearchField({ label, placeholder, value, class: extra = '', onChange }: SearchFieldProps) {
  return (
    <input
      type="search"
      class={`grow ${extra}`}
      aria-label={label}
      placeholder={placeholder}
      title="Press / to search"
      value={value}
      onInput={typing(onChange)}
    />
  );
}
