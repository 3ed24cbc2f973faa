import { useEffect, useRef } from 'preact/hooks';
import { ask } from './ask.ts';

/** What came of asking: a value, or why there is none. */
export type Result<T> = { readonly value: T } | { readonly error: unknown };

interface Run {
  readonly path: string;
  readonly controller: AbortController;
  isUnderWay: boolean;
  /** Whether it is to be asked once more. */
  isBehind: boolean;
}

/**
 * Asks an admin route, and again whenever `path` or `version` changes; nothing without a path. One request at a time: what
 * changes quicker than it is answered is asked again once there is an answer, so that there always is one.
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
