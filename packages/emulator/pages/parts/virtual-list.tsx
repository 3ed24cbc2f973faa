import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatCount } from './text/numbers.ts';

const UNSEEN_ROWS = 10;
const MOST_ADDED = 200;
/** Browsers limit how tall an element can be, some of them to 17 million pixels. */
const TALLEST = 16_000_000;

interface VirtualListProps {
  /** Name of the list, for its class and for screen readers. */
  readonly name: string;
  readonly length: number;
  /** In pixels; the same for each row. */
  readonly rowHeight: number;
  /** The row at an index: a link that opens it; undefined until it has arrived. */
  readonly row: (index: number) => VNode | undefined;
  /** The id of the row at an index, once it has arrived. */
  readonly idAt: (index: number) => number | undefined;
  /** Called with the rows that are in view. */
  readonly onLook?: (first: number, last: number) => void;
}

/**
 * A list that scrolls with the page. Only the rows in view exist, and the row with the focus. Arrow keys, Page up and down, Home
 * and End move from row to row. Rows that are added above do not move the rows in view.
 */
export function VirtualList({ name, length, rowHeight, row, idAt, onLook }: VirtualListProps) {
  const list = useRef<HTMLUListElement>(null);
  const [[first, last], setSeen] = useState<readonly [number, number]>([0, 0]);
  const [focused, setFocused] = useState<number | undefined>();
  const isMoving = useRef(false);
  const shown = Math.min(length, Math.floor(TALLEST / rowHeight));

  const placeOf = (id: number | undefined): number => {
    for (let index = 0; id !== undefined && index < Math.min(length, MOST_ADDED); index += 1)
      if (idAt(index) === id) return index;
    return 0;
  };
  const look = () => {
    const top = list.current?.getBoundingClientRect().top ?? 0;
    const from = Math.max(0, Math.floor(-top / rowHeight) - UNSEEN_ROWS);
    const to = Math.min(shown, Math.ceil((innerHeight - top) / rowHeight) + UNSEEN_ROWS) - 1;
    if (from !== first || to !== last) setSeen([from, to]);
  };
  const newest = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    const added = placeOf(newest.current);
    newest.current = idAt(0);
    if (added > 0 && focused !== undefined) setFocused(focused + added);
    if (added > 0 && (list.current?.getBoundingClientRect().top ?? 0) < 0) scrollBy(0, added * rowHeight);
  }, [idAt(0)]);
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
  useEffect(() => {
    if (last >= first) onLook?.(first, last);
  }, [onLook, first, last]);

  useLayoutEffect(() => {
    if (!isMoving.current) return;
    const item = list.current?.querySelector<HTMLElement>(`[aria-posinset="${(focused ?? 0) + 1}"]`);
    const link = item?.querySelector('a');
    isMoving.current = link === null; // if there is no link yet, try again when the row has arrived
    (link ?? item)?.focus({ preventScroll: true });
  });
  const goTo = (index: number) => {
    const place = Math.min(Math.max(index, 0), shown - 1);
    const top = (list.current?.getBoundingClientRect().top ?? 0) + place * rowHeight;
    if (top < 0) scrollBy(0, top);
    else if (top + rowHeight > innerHeight) scrollBy(0, top + rowHeight - innerHeight);
    isMoving.current = true;
    setFocused(place);
  };
  const press = (event: KeyboardEvent) => {
    if (focused === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const screen = Math.max(1, Math.floor(innerHeight / rowHeight) - 1);
    const places: Readonly<Record<string, number>> = {
      ArrowDown: focused + 1,
      ArrowUp: focused - 1,
      PageDown: focused + screen,
      PageUp: focused - screen,
      Home: 0,
      End: shown - 1,
    };
    const place = places[event.key];
    if (place === undefined) return;
    event.preventDefault();
    goTo(place);
  };
  const leave = ({ relatedTarget }: FocusEvent) => {
    // A row that scrolls out of view is removed. If it had the focus, the focus goes nowhere.
    const isElsewhere = relatedTarget instanceof Node && !list.current?.contains(relatedTarget);
    if (isElsewhere) isMoving.current = false;
    if (!isMoving.current) setFocused(undefined);
  };
  const rowOf = (target: EventTarget | null): number | undefined =>
    target instanceof Element ? Number(target.closest('li')?.ariaPosInSet ?? 0) - 1 : undefined;

  const indexes = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  if (focused !== undefined && focused < shown && !indexes.includes(focused)) indexes.push(focused);
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
        {indexes.map((index) => (
          <li
            key={idAt(index) ?? `at ${index}`}
            tabIndex={-1}
            aria-setsize={length}
            aria-posinset={index + 1}
            style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}
          >
            {row(index) ?? <span class="is-waiting" />}
          </li>
        ))}
      </ul>
      {shown < length && (
        <p class="muted">{`These are the newest ${formatCount(shown)}: search for the others.`}</p>
      )}
    </>
  );
}
