import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ask } from './ask.ts';
import { useAnswer } from './asking.ts';
import { isLost } from './live.ts';
import { openId } from './route.ts';
import { type Identified, type Part, Rows, type Source } from './rows.ts';

const COUNT_EVERY_MS = 1_000;

/**
 * The rows of a source, which `path` identifies. They are renewed when `version` changes, unless they are held: as a rule it is
 * the newest id. Until the rows of another source arrive, the old ones stay on the screen: `shown`.
 */
export function useRows<Row extends Identified>(
  path: string,
  source: () => Source<Row>,
  version: number | undefined,
  isHeld = false,
): { readonly asked: Rows<Row>; readonly shown: Rows<Row> } {
  const asked = useMemo(() => new Rows(source()), [path]);
  const shown = useRef(asked);
  const isNew = asked.state.length === undefined;
  if (!isNew) shown.current = asked;
  useEffect(() => () => asked.close(), [asked]);
  useEffect(() => {
    if (isNew || !isHeld) asked.renew(version);
  }, [asked, version, isHeld, isLost.value]);
  return { asked, shown: shown.current };
}

/** A list of what arrives, newest first. It follows, unless the user has paused it, reads it, or has opened a row. */
export interface LiveRows<Row extends Identified> {
  readonly shown: Rows<Row>;
  /** Why the rows did not arrive. */
  readonly error: unknown;
  readonly isPaused: boolean;
  readonly isFollowing: boolean;
  /** How many rows are newer than those that are shown. */
  readonly newer: number;
  readonly pause: (isPaused: boolean) => void;
  readonly read: (isReading: boolean) => void;
  readonly showNewest: () => void;
}

/**
 * The rows at `path` as they arrive; `newest` is the newest id of all. `sourceOf` makes their source from a function that reads
 * those before an id, or the newest ones.
 */
export function useLiveRows<Row extends Identified>(
  path: string,
  newest: number,
  isAll: boolean,
  sourceOf: (read: Source<Row>['read']) => Source<Row> = (read) => ({ read }),
): LiveRows<Row> {
  const [pausedAt, setPausedAt] = useState<number | undefined>();
  const [isReading, read] = useState(false);
  const isPaused = pausedAt !== undefined;
  const isFollowing = !isPaused && !isReading && openId() === undefined;
  const end = useRef(pausedAt);
  end.current = pausedAt;
  const source = () =>
    sourceOf(async (before, signal) => {
      const from = before || (end.current ?? 0) + 1;
      const answer = await ask<Part<Row>>(from > 1 ? `${path}&before=${from}` : path, { signal });
      const { current: last = Number.POSITIVE_INFINITY } = end; // it may have been paused meanwhile
      return { ...answer, rows: answer.rows.filter(({ id }) => id <= last) };
    });
  const { asked, shown } = useRows<Row>(path, source, pausedAt ?? newest, !isFollowing);
  useEffect(() => scrollTo(0, 0), [path]);
  const every = Math.floor(performance.now() / COUNT_EVERY_MS);
  const latest = useAnswer<Part<Row>>(isAll || isFollowing ? undefined : path, every);
  const known = shown.state.newest;
  return {
    shown,
    error: isLost.value ? undefined : asked.state.error,
    isPaused,
    isFollowing,
    newer: isAll ? newest - known : (latest.value?.rows.filter(({ id }) => id > known).length ?? 0),
    pause: (isPaused) => setPausedAt(isPaused ? newest : undefined),
    read,
    showNewest: () => {
      if (isPaused) setPausedAt(newest);
      end.current = isPaused ? newest : undefined;
      scrollTo(0, 0);
      asked.want(0, 0);
      asked.renew(newest);
    },
  };
}
