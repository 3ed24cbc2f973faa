import type { FieldInput } from '../parts/field.tsx';

interface NumberInputProps extends FieldInput {
  /** Null if the field is empty. */
  readonly value: number | null;
  readonly placeholder?: string | undefined;
  readonly onChange: (value: number | null) => void;
}

/** A field for a number. It may be empty. */
export function NumberInput({ value, onChange, ...input }: NumberInputProps) {
  return (
    <input
      {...input}
      type="number"
      inputMode="numeric"
      class="number"
      value={value ?? ''}
      onInput={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? null : Number(currentTarget.value))
      }
    />
  );
}
