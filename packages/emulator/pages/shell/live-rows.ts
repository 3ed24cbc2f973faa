import { useEffect, useState } from 'preact/hooks';
import type { Page } from '../../src/admin/contract.ts';
import { useAnswer } from './asking.ts';
import { status } from './live.ts';
import { type Identified, type ReadRows, readOn, renewed } from './read-rows.ts';
import { openId } from './route.ts';

/** How many rows a list can have. After that, a search is the better way to older ones. */
const MOST_ROWS = 2_000;

/** A list of what arrives, newest first. It follows, unless the user has paused it, reads it, or has opened a row. */
export type LiveRows<Row extends Identified> = ReturnType<typeof useLiveRows<Row>>;

/** The rows at `path` as they arrive, and older ones as the user scrolls. `newest` is the newest id of all. */
export function useLiveRows<Row extends Identified>(path: string, newest: number, isAll: boolean) {
  const [pausedAt, setPausedAt] = useState<number | undefined>();
  const [isReading, onReading] = useState(false);
  const [isNearEnd, onEnd] = useState(false);
  const [list, setList] = useState<ReadRows<Row> | undefined>();
  const isOther = list?.path !== path;
  const isPaused = pausedAt !== undefined;
  const isFollowing = !isPaused && !isReading && openId() === undefined;
  const latest = useAnswer<Page<Row>>(path, newest);
  const { rows, next = null } = list ?? {};
  const isWanted = isNearEnd && !isOther && next !== null && list.rows.length < MOST_ROWS;
  const missing = status.value?.unindexed;
  // A search may only have added to the index: it is asked again when that has grown.
  const more = useAnswer<Page<Row>>(isWanted ? `${path}&before=${next}` : undefined, missing);
  const renew = () => latest.value && setList(renewed(path, latest.value, list));
  useEffect(() => {
    if (list && more.value) setList(readOn(list, more.value));
    else if (isPaused && isOther) setList({ path, rows: [], next: pausedAt + 1, newest: pausedAt });
    else if (isFollowing || isOther) renew();
  }, [path, latest.value, more.value, isPaused, isFollowing]);
  useEffect(() => scrollTo(0, 0), [path]);
  const known = rows?.[0]?.id ?? pausedAt ?? (isAll ? newest : 0);
  return {
    /** Undefined until the first answer. */
    rows,
    /** Whether there may be older rows, and how many rows the list has at most. */
    hasMore: next !== null,
    most: MOST_ROWS,
    error: latest.error ?? more.error,
    again: () => {
      latest.again();
      more.again();
    },
    isPaused,
    isFollowing,
    /** How many rows are newer than those that are shown. */
    newer: isAll ? newest - known : (latest.value?.rows.filter(({ id }) => id > known).length ?? 0),
    pause: (isPaused: boolean) => setPausedAt(isPaused ? newest : undefined),
    onReading,
    onEnd,
    showNewest: () => {
      if (isPaused) setPausedAt(newest);
      scrollTo(0, 0);
      renew();
    },
  };
}
