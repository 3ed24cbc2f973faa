import { useTyped } from './text/typed.ts';

interface SearchFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly class?: string;
  /** Called once the user has not typed for a moment. */
  readonly onChange: (value: string) => void;
}

/** The search of a page. The key `/` moves the focus to it. */
export function SearchField({
  label,
  placeholder,
  value,
  class: extra = 'grow',
  onChange,
}: SearchFieldProps) {
  const [typed, setTyped] = useTyped(value, onChange);
  return (
    <input
      type="search"
      class={extra}
      aria-label={label}
      placeholder={placeholder}
      title="Press / to search"
      value={typed}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
    />
  );
}
