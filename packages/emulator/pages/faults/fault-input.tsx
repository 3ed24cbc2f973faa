import { Field, type FieldInput } from '../parts/field.tsx';
import type { Input } from './fault-kinds.ts';

interface FaultInputProps {
  readonly input: Input;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

/** One input of the form for a fault. */
export function FaultInput({ input, value, error, onChange }: FaultInputProps) {
  const { label, hint, type } = input;
  return (
    <Field label={label} hint={hint} error={error} class={type === 'long-text' ? 'wide' : ''}>
      {(field) => control(input, field, value, onChange)}
    </Field>
  );
}

function control(
  { type, placeholder }: Input,
  field: FieldInput,
  value: string,
  onChange: (value: string) => void,
) {
  if (typeof type === 'object') {
    return (
      <select {...field} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {Object.entries(type).map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
    );
  }
  if (type === 'long-text') {
    return (
      <textarea
        {...field}
        rows={2}
        value={value}
        spellcheck={false}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  const isNumber = type === 'number' || type === 'seconds';
  return (
    <input
      {...field}
      type="text"
      inputMode={isNumber ? 'decimal' : 'text'}
      class={isNumber ? 'number' : ''}
      value={value}
      placeholder={placeholder}
      spellcheck={false}
      autocomplete="off"
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}
