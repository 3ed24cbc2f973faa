import { useCallback, useState } from 'preact/hooks';
import { useAsking } from './asking.ts';

/** The answer of an admin route. */
export interface Answer<T> {
  /** The latest answer to this path; undefined until there is one. */
  readonly value: T | undefined;
  /** Why there is no answer. */
  readonly error: unknown;
  /** Asks again. The old answer stays until the new one arrives. */
  readonly again: () => void;
}

/** Asks an admin route (see `ask()`), and again whenever `path` or `version` changes. Without a path, it asks nothing. */
export function useAnswer<T>(path: string | undefined, version: unknown = undefined): Answer<T> {
  const [answer, setAnswer] = useState<{ path?: string; value?: T; error?: unknown }>({});
  const [turn, setTurn] = useState(0);
  useAsking<T>(path, `${turn} ${version}`, (of, result) => setAnswer({ path: of, ...result }));
  const again = useCallback(() => setTurn((before) => before + 1), []);
  const { value, error } = answer.path === path ? answer : {};
  return { value, error, again };
}
