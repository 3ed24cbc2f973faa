import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ask } from './ask.ts';
import { lost } from './live.ts';

const SETTLING_MS = 150;

/** The answer of an admin route. */
export type Answer<T> = ReturnType<typeof useAnswer<T>>;

/**
 * Asks an admin route (see `ask()`), and again whenever `path` or `version` changes, or the emulator is there again. Without a path,
 * it asks nothing. One request runs at a time, and after it there is a rest as long as the answer took, so that slow answers are rare.
 */
export function useAnswer<T>(path: string | undefined, version: unknown = undefined) {
  const [answer, setAnswer] = useState<{ path?: string; value?: T; error?: unknown }>({});
  const look = useRef<() => unknown>(() => undefined);
  const before = useRef<string | undefined>(undefined);
  useEffect(() => {
    const isChanged = before.current !== undefined;
    before.current = path;
    if (path === undefined) return;
    const over = new AbortController();
    const { signal } = over;
    let wishes = 0;
    look.current = async () => {
      wishes += 1;
      if (wishes > 1) return; // after the request that runs, there will be another one
      if (isChanged) await pause(SETTLING_MS); // the user may still be typing, or hold down an arrow key
      while (wishes > 0 && !signal.aborted) {
        wishes = 1;
        const startedAt = performance.now();
        const result = await ask<T>(path, { signal }).then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        );
        if (!signal.aborted) setAnswer({ path, ...result });
        await pause(performance.now() - startedAt);
        wishes -= 1;
      }
    };
    return () => over.abort();
  }, [path]);
  useEffect(() => void (lost.value || look.current()), [path, version, lost.value]);
  const { value, error } = answer.path === path ? answer : {};
  return {
    /** The latest answer to this path; undefined until there is one. */
    value,
    /** Why there is no answer. */
    error: lost.value ? undefined : error,
    /** Asks again. The old answer stays until the new one arrives. */
    again: useCallback((): void => void look.current(), []),
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** An action that the user started, and that may fail. */
export type Task = ReturnType<typeof useTask>;

export function useTask() {
  const [state, setState] = useState<{ readonly isRunning: boolean; readonly error?: unknown }>({
    isRunning: false,
  });
  return {
    /** `error` says why the last one failed; undefined while one runs, and after a success. */
    ...state,
    /** Starts it, unless another one runs. Never rejects. */
    run: async (work: () => Promise<unknown>) => {
      if (state.isRunning) return;
      setState({ isRunning: true });
      const failed = await work().then(
        () => ({}),
        (error: unknown) => ({ error }),
      );
      setState({ isRunning: false, ...failed });
    },
    /** Forgets the error. */
    clear: () => setState(({ isRunning }) => ({ isRunning })),
  };
}
