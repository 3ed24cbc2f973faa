import { effect, untracked } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { status } from '../../shell/live.ts';
import { type EventFilter, isOpen } from '../filter/event-filter.ts';
import type { EventRows } from './event-rows.ts';

const LEAST_MS_FOLLOWING = 250;
const LEAST_MS_COUNTING = 1_000;

/**
 * While `isFollowing`, renews the rows as events arrive. Otherwise counts the newer events that match, and returns how many. It
 * sends one request at a time, and then waits at least as long as the answer took, so that a slow search is rare.
 */
export function useFollowing(rows: EventRows, filter: EventFilter, isFollowing: boolean): number {
  const [newer, setNewer] = useState(0);
  const isAll = isOpen(filter);
  useEffect(() => {
    let isOver = false;
    let isBusy = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let seen: unknown;
    const look = async () => {
      const now = status.peek();
      if (isOver || isBusy || now === undefined || now === seen) return;
      isBusy = true;
      seen = now;
      const startedAt = performance.now();
      if (isFollowing || rows.isNew) {
        await rows.renew(now.newestEvent);
        if (!isOver) setNewer(0);
      } else if (!isAll) {
        const count = await rows.countNewer().catch(() => undefined); // the page reports a lost connection elsewhere
        if (!isOver && count !== undefined) setNewer(count);
      }
      const rest = Math.max(
        isFollowing ? LEAST_MS_FOLLOWING : LEAST_MS_COUNTING,
        performance.now() - startedAt,
      );
      timer = setTimeout(() => {
        isBusy = false;
        void look();
      }, rest);
    };
    const stop = effect(() => {
      void status.value;
      void untracked(look);
    });
    return () => {
      isOver = true;
      stop();
      clearTimeout(timer);
    };
  }, [rows, isAll, isFollowing]);
  return isAll ? Math.max(0, (status.value?.newestEvent ?? 0) - rows.newest) : newer;
}
