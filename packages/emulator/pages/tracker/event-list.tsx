import { computed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { TrackerCount, TrackerRow } from '../../src/admin/contract.ts';
import { type Column, RECEIVED } from '../parts/list.tsx';
import { escapeUnseen, formatCount, formatSome, hitsOf, Marked, shownText } from '../parts/text.tsx';
import { useAnswer } from '../shell/asking.ts';
import { status } from '../shell/live.ts';
import { route } from '../shell/route.ts';
import { isOpen, shownKeys, trackerPath } from './event-filter.ts';

const COUNT_EVERY_MS = 3_000;

const hasCustomers = computed(() => status.value?.hasCustomers);

/** The columns of the list of events. */
export const eventColumns = computed((): readonly Column<TrackerRow>[] => {
  const hits = hitsOf(route.value.query.text ?? '');
  const marked = (text: string) => <Marked text={text} hits={hits} />;
  const keys = shownKeys();
  return [
    RECEIVED,
    {
      head: 'Event',
      width: 'minmax(100px, 2fr)',
      place: 'main',
      class: 'tagged',
      cell: ({ name, deliveries }) => (
        <>
          <strong class="cut">{marked(shownText(name))}</strong>
          {deliveries > 1 && (
            <span class="badge" title={`Its uuid was received ${deliveries} times; it counts once`}>
              ×{deliveries}
            </span>
          )}
        </>
      ),
    },
    {
      head: 'Customer',
      width: 'minmax(120px, 3fr)',
      place: 'below',
      class: 'tagged',
      cell: ({ correlationValue, attributed }) => (
        <>
          <span class="cut">{marked(shownText(correlationValue))}</span>
          {!attributed && hasCustomers.value && (
            <span class="badge warn" title="No customer has this primary key value">
              no customer
            </span>
          )}
        </>
      ),
    },
    { head: 'Source', width: '64px', class: 'muted', cell: (row) => shownText(row.source) },
    ...(keys.length > 0 ? keys : ['Payload']).map((head, index) => ({
      head,
      width: 'minmax(0, 2fr)',
      class: 'mono muted event-preview',
      cell: ({ values, preview }: TrackerRow) =>
        marked(escapeUnseen((keys.length > 0 ? values[index] : preview) ?? '')),
    })),
  ];
});

/**
 * What a filter has found, and whether the index is behind. Screen readers announce it when the filter changes, not when events
 * arrive.
 */
export function ResultLine({ isEmpty }: { readonly isEmpty: boolean }) {
  const path = isOpen(route.value.query) ? undefined : trackerPath('/count');
  const { newestEvent, unindexed: missing } = status.value ?? {};
  const { value, again } = useAnswer<TrackerCount>(path, Math.floor(performance.now() / COUNT_EVERY_MS));
  useEffect(() => {
    // Once more after the last change.
    const timer = setTimeout(again, COUNT_EVERY_MS);
    return () => clearTimeout(timer);
  }, [path, newestEvent, missing]);
  const text = isEmpty ? 'No event matches.' : value && found(value);
  const first = useRef<{ path?: string | undefined; text?: string }>({});
  if (text !== undefined && first.current.path !== path) first.current = { path, text };
  const isFirst = first.current.path !== path || first.current.text === text;
  const unindexed = route.value.query.text === undefined ? 0 : (missing ?? 0);
  if (path === undefined) return null;
  return (
    <div class="row muted small">
      <span aria-live={isFirst ? 'polite' : 'off'}>{text}</span>
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
