import { useEffect, useId, useState } from 'preact/hooks';
import type { TrackerValues } from '../../../src/admin/contract.ts';
import { formatCount } from '../../parts/text/numbers.ts';
import { useAnswer } from '../../shell/asking/answer.ts';

interface ValueFieldProps {
  readonly field: 'name' | 'correlationValue' | 'source';
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A field for one exact value. It offers the values in use, and applies one when it is complete or when the user presses Enter. */
export function ValueField({ field, label, value, onChange }: ValueFieldProps) {
  const listId = useId();
  const [typed, setTyped] = useState(value);
  const [isUsed, setUsed] = useState(false);
  const path = `/tracker/values?${new URLSearchParams({ field, start: typed })}`;
  const { value: answer } = useAnswer<TrackerValues>(isUsed ? path : undefined);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    const isComplete = typed === '' || answer?.values.some((each) => each.value === typed);
    if (isComplete && typed !== value) onChange(typed);
  }, [typed, answer]);
  return (
    <>
      <input
        type="search"
        class={value === '' ? undefined : 'is-set'}
        aria-label={label}
        placeholder={label}
        list={listId}
        autocomplete="off"
        value={typed}
        onFocus={() => setUsed(true)}
        onBlur={() => {
          setUsed(false);
          setTyped(value);
        }}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onKeyDown={({ key }) => key === 'Enter' && onChange(typed)}
      />
      <datalist id={listId}>
        {answer?.values.map((each) => (
          <option key={each.value} value={each.value}>
            {formatCount(each.count)}
          </option>
        ))}
      </datalist>
    </>
  );
}
