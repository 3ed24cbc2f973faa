import { useId } from 'preact/hooks';

interface SegmentsProps<T extends string> {
  /** What the user chooses, for screen readers. */
  readonly label: string;
  readonly choices: Readonly<Record<T, string>>;
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** A choice between a few options, side by side: radio buttons with another look. */
export function Segments<T extends string>({ label, choices, value, onChange }: SegmentsProps<T>) {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">{label}</legend>
      {(Object.keys(choices) as T[]).map((choice) => (
        <label key={choice}>
          <input type="radio" name={name} checked={choice === value} onChange={() => onChange(choice)} />
          <span>{choices[choice]}</span>
        </label>
      ))}
    </fieldset>
  );
}
