// biome-ignore-all lint/a11y/useSemanticElements: each row has its own position, which a table row cannot have
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, and names the active row
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { hitsOf } from '../../parts/text/marked.tsx';
import { formatSome } from '../../parts/text/numbers.ts';
import { isPhone, ROW, ROW_OF_TWO_LINES } from '../../shell/screen.ts';
import { EventRow } from './event-row.tsx';
import type { EventRows } from './event-rows.ts';
import type { ListPosition } from './list-position.ts';

const HEAD = 34;
const UNSEEN_ROWS = 4;
const REST_MS = 150;
const MOST_POINTED_OUT = 10;
const COLUMNS = ['Received', 'Event', 'Customer', 'Source'];

interface EventListProps {
  readonly rows: EventRows;
  readonly length: number;
  readonly position: ListPosition;
  /** Id of the event that is open. */
  readonly openId: number | undefined;
  readonly onOpen: (id: number) => void;
  readonly onEscape: () => void;
}

/** The list of events. Only the rows in view exist; the others are created when the user scrolls to them. */
export function EventList({ rows, length, position, openId, onOpen, onEscape }: EventListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const view = useViewHeight(scroller.current);
  const rowHeight = isPhone.value ? ROW_OF_TWO_LINES : ROW;
  const head = isPhone.value ? 0 : HEAD;
  const seen = Math.max(0, view - head);
  position.resize(length * rowHeight, seen);

  const offset = position.offset.value;
  const first = Math.max(0, Math.floor(offset / rowHeight) - UNSEEN_ROWS);
  const last = Math.min(length, Math.ceil((offset + seen) / rowHeight) + UNSEEN_ROWS) - 1;
  const active = position.active.value;

  const columns = [...COLUMNS, ...(rows.keys.length > 0 ? rows.keys : ['Payload'])];
  const hits = useMemo(() => hitsOf(rows.text), [rows.text]);

  const [, setAttached] = useState(false);
  useLayoutEffect(() => {
    if (scroller.current === null) return;
    position.attach(scroller.current);
    setAttached(true);
  }, [position]);
  useEffect(() => {
    if (last >= first) rows.want(first, last);
  }, [rows, rows.newest, first, last]);
  useEffect(() => {
    const timer = setTimeout(() => position.rested(), REST_MS);
    return () => clearTimeout(timer);
  }, [position, offset]);

  const show = (index: number) => {
    const top = index * rowHeight;
    if (top < offset) position.goTo(top);
    else if (top + rowHeight > offset + seen) position.goTo(top + rowHeight - seen);
  };
  const isReady = seen > 0 && !rows.isNew;
  useEffect(() => {
    const index = openId === undefined || !isReady ? undefined : rows.indexOf(openId);
    if (index !== undefined && index < length) show(index);
  }, [rows, openId, isReady]);

  const goTo = (index: number) => {
    const place = Math.min(Math.max(index, 0), length - 1);
    position.active.value = place;
    show(place);
  };
  const screen = Math.max(1, Math.floor(seen / rowHeight) - 1);
  const from = active ?? Math.ceil(offset / rowHeight) - 1;
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => goTo(from + 1),
    ArrowUp: () => goTo(from - 1),
    PageDown: () => goTo(from + screen),
    PageUp: () => goTo(from - screen),
    Home: () => goTo(0),
    End: () => goTo(length - 1),
    Enter: () => open(active),
    ' ': () => open(active),
    Escape: onEscape,
  };
  const open = (index: number | undefined) => {
    const row = index === undefined ? undefined : rows.row(index);
    if (row !== undefined) onOpen(row.id);
  };
  const press = (event: KeyboardEvent) => {
    const act = keys[event.key];
    const isForPanel = openId !== undefined && event.key.startsWith('Arrow'); // it opens the next event
    if (act === undefined || isForPanel || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };

  const indexes = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  // New rows are highlighted only if they are few. If all rows are new all the time, that would only flicker.
  const areFew = rows.previousNewest > 0 && rows.newest - rows.previousNewest <= MOST_POINTED_OUT;
  const newAfter = areFew ? rows.previousNewest : Number.POSITIVE_INFINITY;
  const isActiveSeen = active !== undefined && active >= first && active <= last;
  return (
    <div
      ref={scroller}
      class="grid"
      role="grid"
      aria-label={`Events, newest first: ${formatSome(length, 'row')}`}
      aria-rowcount={rows.isComplete ? length + 1 : -1}
      aria-colcount={columns.length}
      style={{ '--payload-columns': columns.length - COLUMNS.length }}
      aria-activedescendant={isActiveSeen ? rowId(active) : undefined}
      tabIndex={0}
      onKeyDown={press}
      onScroll={() => position.scrolled()}
    >
      <div class="grid-head" role="row" aria-rowindex={1}>
        {columns.map((column) => (
          <span key={column} role="columnheader" class="cut">
            {column}
          </span>
        ))}
      </div>
      <div class="grid-space" role="presentation" style={{ height: `${Math.max(position.height, seen)}px` }}>
        <div class="grid-view" role="presentation" style={{ height: `${seen}px`, top: `${head}px` }}>
          {indexes.map((index) => {
            const row = rows.row(index);
            return (
              <EventRow
                key={row?.id ?? `at ${index}`}
                id={rowId(index)}
                row={row}
                hits={hits}
                index={index}
                top={index * rowHeight - offset}
                height={rowHeight}
                isActive={index === active}
                isOpen={row !== undefined && row.id === openId}
                isNew={row !== undefined && row.id > newAfter}
                onOpen={() => open(index)}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

function rowId(index: number): string {
  return `row-${index}`;
}

function useViewHeight(element: HTMLElement | null): number {
  const [height, setHeight] = useState(0);
  useLayoutEffect(() => {
    if (element === null) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return height;
}
