import type { RefObject } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { TrackerCount, TrackerRow } from '../../src/admin/contract.ts';
import { escapeUnseen, formatCount, formatSome, hitsOf, Marked, shownText, Time } from '../parts/text.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { useAnswer } from '../shell/asking.ts';
import { status } from '../shell/live.ts';
import type { Rows } from '../shell/rows.ts';
import { isPhone, ROW, ROW_OF_TWO_LINES } from '../shell/screen.ts';
import { filter, isOpen, shownKeys, trackerPath } from './event-filter.ts';

const COUNT_EVERY_MS = 3_000;

interface EventListProps {
  readonly rows: Rows<TrackerRow>;
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly onReading: (isReading: boolean) => void;
}

/** The list of events, in a frame that scrolls. */
export function EventList({ rows, frame, onReading }: EventListProps) {
  const keys = shownKeys();
  const { text = '' } = filter.value;
  const hits = useMemo(() => hitsOf(text), [text]);
  return (
    <div class="events-frame" style={{ '--payload-columns': Math.max(1, keys.length) }}>
      <div class="list-row event-head list-head muted">
        {['Received', 'Event', 'Customer', 'Source', ...(keys.length > 0 ? keys : ['Payload'])].map(
          (column) => (
            <span key={column} class="cut">
              {column}
            </span>
          ),
        )}
      </div>
      <div ref={frame} class="scroller">
        <VirtualList
          name="Events"
          rows={rows}
          rowHeight={isPhone.value ? ROW_OF_TWO_LINES : ROW}
          kind="event-row"
          frame={frame}
          onReading={onReading}
          cells={(row) => <Cells row={row} hits={hits} />}
        />
      </div>
    </div>
  );
}

function Cells({ row, hits }: { readonly row: TrackerRow; readonly hits: RegExp | undefined }) {
  const marked = (text: string) => <Marked text={text} hits={hits} />;
  return (
    <>
      <span class="event-time muted">
        <Time value={row.receivedAt} />
      </span>
      <span class="event-name">
        <strong class="cut">{marked(shownText(row.name))}</strong>
        {row.deliveries > 1 && (
          <span class="badge" title={`Its uuid was received ${row.deliveries} times; it counts once`}>
            ×{row.deliveries}
          </span>
        )}
      </span>
      <span class="event-customer">
        <span class="cut">{marked(shownText(row.correlationValue))}</span>
        {!row.attributed && status.value?.hasCustomers && (
          <span class="badge warn" title="No customer has this primary key value">
            no customer
          </span>
        )}
      </span>
      <span class="event-source cut muted">{shownText(row.source)}</span>
      {(row.values.length > 0 ? row.values : [row.preview]).map((value, index) => (
        <span key={index} class="event-preview cut muted">
          {marked(escapeUnseen(value ?? ''))}
        </span>
      ))}
    </>
  );
}

/**
 * What a filter has found, and whether the index is behind. Screen readers announce it when the filter changes, not when events
 * arrive.
 */
export function ResultLine({ length }: { readonly length: number | undefined }) {
  const path = isOpen(filter.value) ? undefined : trackerPath('/count');
  const { value } = useAnswer<TrackerCount>(path, Math.floor(performance.now() / COUNT_EVERY_MS));
  const text = length === 0 ? 'No event matches.' : value && found(value);
  const first = useRef<{ path?: string | undefined; text?: string }>({});
  if (text !== undefined && first.current.path !== path) first.current = { path, text };
  const isFirst = first.current.path !== path || first.current.text === text;
  const unindexed = filter.value.text === undefined ? 0 : (status.value?.unindexed ?? 0);
  if (path === undefined) return null;
  return (
    <div class="result-line row muted small-text">
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
