import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { here, openId } from '../shell/route.ts';
import type { Identified, Rows } from '../shell/rows.ts';
import { formatCount } from './text.tsx';

const UNSEEN_ROWS = 10;
const MOST_ADDED = 200;
/** Browsers limit how tall an element can be, some of them to 17 million pixels. */
const TALLEST = 16_000_000;
/** The widest list whose rows have two lines, and the heights of rows and of the head: in pixels, as in the styles. */
const NARROW = 640;
const ROW = 36;
const ROW_OF_TWO_LINES = 60;
const HEAD = 34;

/** A column of a list. */
export interface Column<Row> {
  readonly head: ComponentChildren;
  /** As in `grid-template-columns`. */
  readonly width: string;
  /** Where it is in a narrow list; without a place, it is not shown there. */
  readonly place?: 'lead' | 'main' | 'aside' | 'below' | undefined;
  readonly class?: string;
  readonly cell: (row: Row) => ComponentChildren;
}

interface VirtualListProps<Row extends Identified> {
  /** Name of the list, for its class and for screen readers. */
  readonly name: string;
  /** The class of each row. */
  readonly kind: string;
  readonly rows: Rows<Row>;
  readonly columns: readonly Column<Row>[];
  /** Called with whether the user reads: has scrolled, or goes through the rows with the keyboard. */
  readonly onReading?: (isReading: boolean) => void;
}

/**
 * A list of links that open a row; it scrolls with the page. Only the rows in view exist, and the row with the focus. Arrow keys,
 * Page up and down, Home and End move from row to row. Rows that are added above do not move the rows in view.
 */
export function VirtualList<Row extends Identified>(props: VirtualListProps<Row>) {
  const { name, kind, rows, columns, onReading } = props;
  const open = openId();
  const list = useRef<HTMLUListElement>(null);
  const [[first, last, isNarrow], setSeen] = useState<readonly [number, number, boolean]>([0, -1, false]);
  const [focused, setFocused] = useState<number | undefined>();
  const isMoving = useRef(false);
  const isKeyed = useRef(false);
  const { rows: read, length = 0, isComplete, newAfter } = rows.state;
  const rowHeight = isNarrow ? ROW_OF_TWO_LINES : ROW;
  const head = isNarrow ? 0 : HEAD;
  const shown = Math.min(length, Math.floor(TALLEST / rowHeight));
  const newest = read.get(0)?.id;

  /** Where the list begins, from the lower edge of the head when that stays at the top of the window. */
  const top = () => (list.current?.getBoundingClientRect().top ?? 0) - head;
  const look = () => {
    const start = top();
    const from = Math.max(0, Math.floor(-start / rowHeight) - UNSEEN_ROWS);
    const to = Math.min(shown, Math.ceil((innerHeight - start) / rowHeight) + UNSEEN_ROWS) - 1;
    const isNarrowNow = (list.current?.clientWidth ?? 0) < NARROW;
    if (from !== first || to !== last || isNarrow !== isNarrowNow) setSeen([from, to, isNarrowNow]);
    onReading?.(start < -1 || isKeyed.current);
  };
  const before = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    let added = Math.min(length, MOST_ADDED);
    while (added > 0 && (before.current === undefined || read.get(added)?.id !== before.current)) added -= 1;
    before.current = newest;
    if (added > 0 && focused !== undefined) setFocused(focused + added);
    if (added > 0 && top() < -1) scrollBy(0, added * rowHeight);
  }, [newest]);
  useLayoutEffect(look);
  const looker = useRef(look);
  looker.current = look;
  useEffect(() => {
    const again = () => looker.current();
    const observer = new ResizeObserver(again); // the content above the list may change, too
    observer.observe(document.body);
    addEventListener('scroll', again, { passive: true });
    addEventListener('resize', again);
    return () => {
      observer.disconnect();
      removeEventListener('scroll', again);
      removeEventListener('resize', again);
    };
  }, []);
  useEffect(() => rows.want(first, last), [rows, read, first, last]);

  useLayoutEffect(() => {
    if (!isMoving.current) return;
    const item = list.current?.querySelector<HTMLElement>(`[aria-posinset="${(focused ?? 0) + 1}"]`);
    const link = item?.querySelector('a');
    isMoving.current = !link; // if there is no link yet, try again when the row has arrived
    (link ?? item)?.focus({ preventScroll: true });
  });
  const show = (index: number) => {
    const place = top() + index * rowHeight;
    const below = place + head + rowHeight - innerHeight;
    if (place < 0) scrollBy(0, place);
    else if (below > 0) scrollBy(0, below);
  };
  useEffect(() => {
    const index = open === undefined ? undefined : rows.indexOf(open);
    if (index !== undefined && index < shown) show(index);
  }, [rows, open, length > 0]);
  const press = (event: KeyboardEvent) => {
    if (focused === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && open === undefined && event.target instanceof HTMLElement)
      event.target.blur();
    const screen = Math.max(1, Math.floor((innerHeight - head) / rowHeight) - 1);
    const places: Readonly<Record<string, number>> = {
      ArrowDown: focused + 1,
      ArrowUp: focused - 1,
      PageDown: focused + screen,
      PageUp: focused - screen,
      Home: 0,
      End: shown - 1,
    };
    const index = places[event.key];
    const isForPanel = open !== undefined && event.key.startsWith('Arrow'); // it opens the next row
    if (index === undefined || isForPanel) return;
    event.preventDefault();
    const place = Math.min(Math.max(index, 0), shown - 1);
    show(place);
    isMoving.current = true;
    isKeyed.current = true;
    setFocused(place);
  };
  const leave = ({ relatedTarget }: FocusEvent) => {
    // A row that scrolls out of view is removed. If it had the focus, the focus goes nowhere.
    const isElsewhere = relatedTarget instanceof Node && !list.current?.contains(relatedTarget);
    if (isElsewhere) isMoving.current = false;
    if (isMoving.current) return;
    isKeyed.current = false;
    setFocused(undefined);
  };
  const rowOf = (target: EventTarget | null): number | undefined =>
    target instanceof Element ? Number(target.closest('li')?.ariaPosInSet ?? 0) - 1 : undefined;

  const indexes = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  // The list may have become shorter.
  const kept = focused === undefined ? -1 : Math.min(focused, shown - 1);
  if (kept >= 0 && !indexes.includes(kept)) indexes.push(kept);
  const cells = columns.filter(({ place }) => !isNarrow || place);
  return (
    <div
      class={isNarrow ? 'narrow' : ''}
      style={{ '--columns': columns.map(({ width }) => width).join(' ') }}
    >
      {!isNarrow && (
        <div class="list-row list-head">
          {cells.map(({ head, class: kind = '' }, index) => (
            <span key={index} class={`cut ${kind}`}>
              {head}
            </span>
          ))}
        </div>
      )}
      <ul
        ref={list}
        class={`list virtual ${name.toLowerCase()}`}
        aria-label={name}
        style={{ height: `${shown * rowHeight}px` }}
        onKeyDown={press}
        onFocusIn={({ target }) => setFocused(rowOf(target))}
        onFocusOut={leave}
      >
        {indexes.map((index) => {
          const row = read.get(index);
          return (
            <li
              key={row?.id ?? `at ${index}`}
              tabIndex={-1}
              aria-setsize={isComplete ? length : -1}
              aria-posinset={index + 1}
              style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}
            >
              {row === undefined ? (
                <span class="list-row muted">…</span>
              ) : (
                <a
                  class={`list-row ${kind} ${row.id > newAfter ? 'is-new' : ''}`}
                  href={here(row.id)}
                  aria-current={row.id === open ? 'true' : undefined}
                >
                  {cells.map(({ cell, place, class: kind = '' }, at) => (
                    <span key={at} class={`cut ${kind}`} style={isNarrow ? { gridArea: place } : {}}>
                      {cell(row)}
                    </span>
                  ))}
                </a>
              )}
            </li>
          );
        })}
      </ul>
      {shown < length && (
        <p class="muted">{`These are the newest ${formatCount(shown)}: search for the others.`}</p>
      )}
    </div>
  );
}
