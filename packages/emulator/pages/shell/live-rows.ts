import { useEffect, useRef, useState } from 'preact/hooks';
import { useAnswer, useKept } from './asking.ts';
import { type Answered, type Identified, type ReadRows, readOn, renewed } from './read-rows.ts';
import { openId } from './route.ts';

const COUNT_EVERY_MS = 1_000;
/** How many rows a list can have. After that, a search is the better way to older ones. */
const MOST_ROWS = 2_000;

/** A list of what arrives, newest first. It follows, unless the user has paused it, reads it, or has opened a row. */
export type LiveRows<Row extends Identified> = ReturnType<typeof useLiveRows<Row>>;

/** The rows at `path` as they arrive, and older ones as the user scrolls. `newest` is the newest id of all. */
export function useLiveRows<Row extends Identified>(path: string, newest: number, isAll: boolean) {
  const [pausedAt, setPausedAt] = useState<number | undefined>();
  const [isReading, onReading] = useState(false);
  const [isNearEnd, onEnd] = useState(false);
  const [longer, setLonger] = useState<ReadRows<Row> | undefined>();
  const isPaused = pausedAt !== undefined;
  const isFollowing = !isPaused && !isReading && openId() === undefined;
  const version = useRef(newest);
  if (isFollowing) version.current = newest;
  const asked = isPaused ? `${path}&before=${pausedAt + 1}` : path;
  const first = useAnswer<Answered<Row>>(asked, version.current);
  const shown = useKept(first.value);
  const list = longer?.first === shown ? longer : shown && renewed(asked, shown, longer);
  const { rows, next = null } = list ?? {};
  const isShort = rows !== undefined && rows.length < MOST_ROWS;
  const isWanted = isNearEnd && isShort && next !== null && first.value !== undefined;
  const more = useAnswer<Answered<Row>>(isWanted ? `${path}&before=${next}` : undefined);
  useEffect(() => {
    if (more.value && list) setLonger(readOn(list, more.value));
  }, [more.value]);
  useEffect(() => scrollTo(0, 0), [path]);
  const every = Math.floor(performance.now() / COUNT_EVERY_MS);
  const latest = useAnswer<Answered<Row>>(isAll || isFollowing ? undefined : path, every);
  const known = rows?.[0]?.id ?? (isAll ? newest : 0);
  return {
    /** Undefined until the first answer. */
    rows,
    /** Whether there may be older rows, and how many rows the list has at most. */
    hasMore: next !== null,
    most: MOST_ROWS,
    error: first.error ?? more.error,
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
      first.again();
    },
  };
}
