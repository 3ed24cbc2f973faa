import { useEffect, useRef, useState } from 'preact/hooks';

const TYPING_MS = 200;

/** The text in a field while the user types. `onChange` gets it once the user has not typed for a moment. */
export function useTyped(
  value: string,
  onChange: (value: string) => void,
): readonly [string, (typed: string) => void] {
  const [typed, setTyped] = useState(value);
  const told = useRef(value);
  const teller = useRef(onChange);
  teller.current = onChange;
  useEffect(() => {
    // If `value` is what was reported last, it is not new: the user may have typed more since then.
    if (value !== told.current) setTyped(value);
    told.current = value;
  }, [value]);
  useEffect(() => {
    if (typed === told.current) return;
    const timer = setTimeout(() => {
      told.current = typed;
      teller.current(typed);
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return [typed, setTyped];
}
