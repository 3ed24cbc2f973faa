import { useRef } from 'preact/hooks';
import type { TrackerCount } from '../../../src/admin/contract.ts';
import { formatCount, formatSome } from '../../parts/text/numbers.ts';
import { useAnswer } from '../../shell/asking/answer.ts';
import { status } from '../../shell/live.ts';
import { type EventFilter, isOpen, trackerPath } from '../filter/event-filter.ts';
import type { EventRows } from './event-rows.ts';

const COUNT_EVERY_MS = 3_000;

interface ResultLineProps {
  readonly filter: EventFilter;
  readonly rows: EventRows;
  readonly length: number;
}

/**
 * What a filter has found, and whether the index is behind. Screen readers announce it when the filter changes, not when events
 * arrive.
 */
export function ResultLine({ filter, rows, length }: ResultLineProps) {
  const path = isOpen(filter) ? undefined : trackerPath('/count', filter);
  const { value } = useAnswer<TrackerCount>(path, Math.floor(performance.now() / COUNT_EVERY_MS));
  const text = !rows.isNew && length === 0 ? 'No event matches.' : value && found(value);
  const first = useRef<{ path?: string | undefined; text?: string }>({});
  if (text !== undefined && first.current.path !== path) first.current = { path, text };
  const isFirst = first.current.path !== path || first.current.text === text;
  const unindexed = filter.text === undefined ? 0 : (status.value?.unindexed ?? 0);
  if (path === undefined) return null;
  return (
    <div class="result-line">
      <span class="number" aria-live={isFirst ? 'polite' : 'off'}>
        {text}
      </span>
      {unindexed > 0 && (
        <span class="badge warn" title="They are found all the same, only slower">
          {`The search index is ${formatSome(unindexed, 'event')} behind`}
        </span>
      )}
    </div>
  );
}

function found({ count, isExact }: TrackerCount): string {
  return isExact ? `${formatSome(count, 'event')} found` : `More than ${formatCount(count)} events found`;
}
