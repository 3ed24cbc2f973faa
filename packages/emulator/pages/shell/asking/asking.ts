import { useEffect, useRef } from 'preact/hooks';
import { ask } from './ask.ts';

/** The result of a request: a value, or the reason why there is none. */
export type Result<T> = { readonly value: T } | { readonly error: unknown };

interface Run {
  readonly path: string;
  readonly controller: AbortController;
  isUnderWay: boolean;
  /** Whether to ask once more. */
  isBehind: boolean;
}

/**
 * Asks an admin route, and again whenever `path` or `version` changes. Without a path, it asks nothing. One request runs at a
 * time. If `version` changes before the answer, it asks once more after the answer, so that there is always an answer.
 */
export function useAsking<T>(
  path: string | undefined,
  version: unknown,
  tell: (path: string, result: Result<T>) => void,
): void {
  const current = useRef<Run | undefined>(undefined);
  const teller = useRef(tell);
  teller.current = tell;
  useEffect(() => () => current.current?.controller.abort(), [path]);
  useEffect(() => {
    if (path === undefined) return;
    const before = current.current;
    if (before?.path === path && before.isUnderWay && !before.controller.signal.aborted) {
      before.isBehind = true;
      return;
    }
    const run = { path, controller: new AbortController(), isUnderWay: true, isBehind: false };
    current.current = run;
    void follow<T>(run, (result) => teller.current(path, result));
  }, [path, version]);
}

async function follow<T>(run: Run, tell: (result: Result<T>) => void): Promise<void> {
  const { signal } = run.controller;
  do {
    run.isBehind = false;
    const result = await ask<T>(run.path, { signal }).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    if (signal.aborted) return;
    tell(result);
  } while (run.isBehind);
  run.isUnderWay = false;
}
