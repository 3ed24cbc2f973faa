import type { RefObject, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { here, openId } from '../shell/route.ts';
import type { Identified, Rows } from '../shell/rows.ts';
import { formatCount } from './text.tsx';

const UNSEEN_ROWS = 10;
const MOST_ADDED = 200;
/** Browsers limit how tall an element can be, some of them to 17 million pixels. */
const TALLEST = 16_000_000;

interface VirtualListProps<Row extends Identified> {
  /** Name of the list, for its class and for screen readers. */
  readonly name: string;
  readonly rows: Rows<Row>;
  /** In pixels; the same for each row. */
  readonly rowHeight: number;
  /** The class of each row. */
  readonly kind: string;
  readonly cells: (row: Row) => VNode;
  /** The element that scrolls; without one, the list scrolls with the page. */
  readonly frame?: RefObject<HTMLElement | null>;
  /** Called with whether the user reads: has scrolled, or goes through the rows with the keyboard. */
  readonly onReading?: (isReading: boolean) => void;
}

/**
 * A list of links that open a row. Only the rows in view exist, and the row with the focus. Arrow keys, Page up and down, Home
 * and End move from row to row. Rows that are added above do not move the rows in view.
 */
export function VirtualList<Row extends Identified>(props: VirtualListProps<Row>) {
  const { name, rows, rowHeight, kind, cells, frame, onReading } = props;
  const open = openId();
  const list = useRef<HTMLUListElement>(null);
  const [[first, last], setSeen] = useState<readonly [number, number]>([0, -1]);
  const [focused, setFocused] = useState<number | undefined>();
  const isMoving = useRef(false);
  const isKeyed = useRef(false);
  const { rows: read, length = 0, isComplete, newAfter } = rows.state;
  const shown = Math.min(length, Math.floor(TALLEST / rowHeight));
  const newest = read.get(0)?.id;

  const view = () => {
    const start = frame?.current?.getBoundingClientRect().top ?? 0;
    const top = (list.current?.getBoundingClientRect().top ?? 0) - start;
    return { top, height: frame?.current?.clientHeight ?? innerHeight };
  };
  const scroll = (by: number) => (frame?.current ?? window).scrollBy(0, by);
  const look = () => {
    const { top, height } = view();
    const from = Math.max(0, Math.floor(-top / rowHeight) - UNSEEN_ROWS);
    const to = Math.min(shown, Math.ceil((height - top) / rowHeight) + UNSEEN_ROWS) - 1;
    if (from !== first || to !== last) setSeen([from, to]);
    onReading?.(top < -1 || isKeyed.current);
  };
  const before = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    let added = Math.min(length, MOST_ADDED);
    while (added > 0 && (before.current === undefined || read.get(added)?.id !== before.current)) added -= 1;
    before.current = newest;
    if (added > 0 && focused !== undefined) setFocused(focused + added);
    if (added > 0 && view().top < -1) scroll(added * rowHeight);
  }, [newest]);
  useLayoutEffect(look);
  const looker = useRef(look);
  looker.current = look;
  useEffect(() => {
    const again = () => looker.current();
    const observer = new ResizeObserver(again); // the content above the list may change, too
    observer.observe(frame?.current ?? document.body);
    addEventListener('scroll', again, { passive: true, capture: true });
    addEventListener('resize', again);
    return () => {
      observer.disconnect();
      removeEventListener('scroll', again, { capture: true });
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
    const { top, height } = view();
    const place = top + index * rowHeight;
    if (place < 0) scroll(place);
    else if (place + rowHeight > height) scroll(place + rowHeight - height);
  };
  useEffect(() => {
    const index = open === undefined ? undefined : rows.indexOf(open);
    if (index !== undefined && index < shown) show(index);
  }, [rows, open, length > 0]);
  const goTo = (index: number) => {
    const place = Math.min(Math.max(index, 0), shown - 1);
    show(place);
    isMoving.current = true;
    isKeyed.current = true;
    setFocused(place);
  };
  const press = (event: KeyboardEvent) => {
    if (focused === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && open === undefined && event.target instanceof HTMLElement)
      event.target.blur();
    const screen = Math.max(1, Math.floor(view().height / rowHeight) - 1);
    const places: Readonly<Record<string, number>> = {
      ArrowDown: focused + 1,
      ArrowUp: focused - 1,
      PageDown: focused + screen,
      PageUp: focused - screen,
      Home: 0,
      End: shown - 1,
    };
    const place = places[event.key];
    const isForPanel = open !== undefined && event.key.startsWith('Arrow'); // it opens the next row
    if (place === undefined || isForPanel) return;
    event.preventDefault();
    goTo(place);
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
  return (
    <>
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
                <span class="is-waiting" />
              ) : (
                <a
                  class={`list-row ${kind} ${row.id > newAfter ? 'is-new' : ''}`}
                  href={here(row.id)}
                  aria-current={row.id === open ? 'true' : undefined}
                >
                  {cells(row)}
                </a>
              )}
            </li>
          );
        })}
      </ul>
      {shown < length && (
        <p class="muted">{`These are the newest ${formatCount(shown)}: search for the others.`}</p>
      )}
    </>
  );
}
