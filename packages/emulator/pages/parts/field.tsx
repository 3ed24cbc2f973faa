import type { ComponentChildren, VNode } from 'preact';
import { useId } from 'preact/hooks';

/** The attributes that an input gets from its field. */
export interface FieldInput {
  readonly id: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
}

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** What is wrong with the input. It is shown next to it. */
  readonly error?: string | undefined;
  readonly class?: string;
  readonly children: (input: FieldInput) => VNode;
}

/** An input with its label, a hint and its error. */
export function Field({ label, hint, error, class: extra = '', children }: FieldProps) {
  const id = useId();
  const input = { id, 'aria-describedby': `${id}-about`, 'aria-invalid': error !== undefined };
  return (
    <div class={`field ${extra}`}>
      <label for={id}>{label}</label>
      {children(input)}
      <div id={`${id}-about`} class="field-about">
        {error !== undefined && <p class="field-error">{error}</p>}
        {hint !== undefined && <p class="muted">{hint}</p>}
      </div>
    </div>
  );
}
