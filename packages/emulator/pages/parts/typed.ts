import { useEffect, useRef, useState } from 'preact/hooks';

const TYPING_MS = 200;

/** What is typed into a field; it becomes its value once nothing more is typed for a moment. */
export function useTyped(
  value: string,
  onChange: (value: string) => void,
): readonly [string, (typed: string) => void] {
  const [typed, setTyped] = useState(value);
  const told = useRef(value);
  const teller = useRef(onChange);
  teller.current = onChange;
  useEffect(() => {
    // Its own value coming back is no news: more may have been typed since.
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
