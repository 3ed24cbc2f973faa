import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { AskError, ask } from './ask.ts';

/** The answer of an admin route. */
export interface Answer<T> {
  /** The latest answer to this path; undefined until there is one. */
  readonly value: T | undefined;
  /** Why there is no answer. */
  readonly error: unknown;
  /** Asks again. The old answer stays until the new one arrives. */
  readonly again: () => void;
}

/**
 * Asks an admin route (see `ask()`), and again whenever `path` or `version` changes. Without a path, it asks nothing. One request
 * runs at a time. If `version` changes before the answer, it asks once more after the answer, so that there is always an answer.
 */
export function useAnswer<T>(path: string | undefined, version: unknown = undefined): Answer<T> {
  const [answer, setAnswer] = useState<{ path?: string; value?: T; error?: unknown }>({});
  const look = useRef<() => unknown>(() => undefined);
  useEffect(() => {
    if (path === undefined) return;
    const over = new AbortController();
    const { signal } = over;
    let wished = 0;
    let isBusy = false;
    look.current = async () => {
      wished += 1;
      if (isBusy) return;
      isBusy = true;
      for (let done = 0; done !== wished && !signal.aborted; ) {
        done = wished;
        const result = await ask<T>(path, { signal }).then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        );
        if (!signal.aborted) setAnswer({ path, ...result });
      }
      isBusy = false;
    };
    return () => over.abort();
  }, [path]);
  useEffect(() => void look.current(), [path, version]);
  const again = useCallback(() => void look.current(), []);
  const { value, error } = answer.path === path ? answer : {};
  return { value, error, again };
}

/** An action that the user started, and that may fail. */
export interface Task {
  readonly isRunning: boolean;
  /** Why the last one failed; undefined while one runs, and after a success. */
  readonly error?: unknown;
  /** Starts it, unless another one runs. Never rejects. */
  readonly run: (work: () => Promise<unknown>) => Promise<void>;
  /** Forgets the error. */
  readonly clear: () => void;
}

export function useTask(): Task {
  const [state, setState] = useState<{ isRunning: boolean; error?: unknown }>({ isRunning: false });
  const isRunning = useRef(false);
  const run = async (work: () => Promise<unknown>) => {
    if (isRunning.current) return;
    isRunning.current = true;
    setState({ isRunning: true });
    const failed = await work().then(
      () => ({}),
      (error: unknown) => ({ error }),
    );
    isRunning.current = false;
    setState({ isRunning: false, ...failed });
  };
  return { ...state, run, clear: () => setState({ isRunning: isRunning.current }) };
}

/** The message of a refusal about `field`, to show next to that field. */
export function fieldError(error: unknown, field: string): string | undefined {
  return error instanceof AskError && error.field === field ? error.message : undefined;
}
