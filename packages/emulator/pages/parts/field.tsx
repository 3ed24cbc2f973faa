import type { ComponentChildren, VNode } from 'preact';
import { useId } from 'preact/hooks';

/** What an input takes over from its field. */
export interface FieldInput {
  readonly id: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
}

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** What is wrong with what was put in; it stands beside it. */
  readonly error?: string | undefined;
  readonly class?: string;
  readonly children: (input: FieldInput) => VNode;
}

/** An input with its label, a word on what it means, and what is wrong with it. */
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
