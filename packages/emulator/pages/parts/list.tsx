import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useKeys } from '../shell/keys.ts';
import { lost } from '../shell/live.ts';
import type { LiveRows } from '../shell/live-rows.ts';
import type { Identified } from '../shell/read-rows.ts';
import { here, openId } from '../shell/route.ts';
import { ClearButton, Problem } from './dialog.tsx';
import { formatCount, formatSome, Time } from './text.tsx';

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

/** The column for the time at which a row arrived. */
export const RECEIVED: Column<{ readonly receivedAt: string }> = {
  head: 'Received',
  width: '124px',
  place: 'aside',
  class: 'muted',
  cell: ({ receivedAt }) => <Time value={receivedAt} />,
};

interface ListProps<Row extends Identified> {
  /** Name of the list, for its class and for screen readers. */
  readonly name: string;
  /** The class of each row. */
  readonly kind: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** Whether there may be more rows. It reads them, until it has `most`. */
  readonly hasMore: boolean;
  readonly most: number;
  /** Called with whether the user reads: has scrolled, or goes through the rows with the keyboard. */
  readonly onReading?: (isReading: boolean) => void;
  /** Called with whether the end of the list is near. */
  readonly onEnd: (isNearEnd: boolean) => void;
}

/**
 * A list of links that open a row; it scrolls with the page, and the browser draws only the rows in view. Arrow keys, Home and End
 * move from row to row.
 */
export function List<Row extends Identified>(props: ListProps<Row>) {
  const { name, kind, rows, columns, hasMore, most, onReading, onEnd } = props;
  const list = useRef<HTMLDivElement>(null);
  const open = openId();
  const look = () => {
    const { top = 0, bottom = 0 } = list.current?.getBoundingClientRect() ?? {};
    onReading?.(top < -1 || Boolean(list.current?.querySelector('a:focus-visible')));
    onEnd(bottom < 1.5 * innerHeight);
  };
  useLayoutEffect(() => {
    look();
    const over = new AbortController();
    addEventListener('scroll', look, { passive: true, signal: over.signal });
    addEventListener('resize', look, { signal: over.signal });
    return () => over.abort();
  });
  useEffect(
    () => list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }),
    [open],
  );
  /** Moves the focus from the row that has it, if no row is open. */
  const from = (find: (item: Element) => Element | null | undefined) => () => {
    const item = list.current?.querySelector('li:focus-within');
    const link = item && open === undefined ? find(item)?.querySelector('a') : undefined;
    link?.focus();
    look();
    return Boolean(link);
  };
  useKeys({
    ArrowDown: from((item) => item.nextElementSibling),
    ArrowUp: from((item) => item.previousElementSibling),
    Home: from((item) => item.parentElement?.firstElementChild),
    End: from((item) => item.parentElement?.lastElementChild),
    Escape: from((item) => void item.querySelector('a')?.blur()),
  });
  return (
    <div ref={list} class="rows" style={{ '--columns': columns.map(({ width }) => width).join(' ') }}>
      <div class="list-row list-head">
        {columns.map(({ head, class: kind = '' }, index) => (
          <span key={index} class={`cut ${kind}`}>
            {head}
          </span>
        ))}
      </div>
      <ul class={`list ${name.toLowerCase()}`} aria-label={name} onFocusOut={look}>
        {/* By place, not by id: a list that follows changes the text of its rows, which is faster than to make others. */}
        {rows.map((row, place) => (
          <li key={place}>
            <Item kind={kind} row={row} columns={columns} />
          </li>
        ))}
      </ul>
      {hasMore && (
        <p class="muted">
          {rows.length < most
            ? 'Reading on…'
            : `These are the first ${formatCount(rows.length)}: search for the others.`}
        </p>
      )}
    </div>
  );
}

type ItemProps<Row extends Identified> = Pick<ListProps<Row>, 'kind' | 'columns'> & { readonly row: Row };

/** A row. As it uses a signal, it renders again only if that or one of its properties changes: lists are long. */
function Item<Row extends Identified>({ kind, row, columns }: ItemProps<Row>) {
  return (
    <a class={`list-row ${kind}`} href={here(row.id)} aria-current={row.id === openId() ? 'true' : undefined}>
      {columns.map(({ cell, place, class: kind = '' }, at) => (
        <span key={at} class={`cut ${kind}`} style={place && { '--place': place }}>
          {cell(row)}
        </span>
      ))}
    </a>
  );
}

interface LiveListProps<Row extends Identified> extends Pick<ListProps<Row>, 'name' | 'kind' | 'columns'> {
  readonly live: LiveRows<Row>;
  /** Shown instead of the list if it has no rows. */
  readonly empty: ComponentChildren;
}

/** A list of what arrives. It says what is new while it does not follow. */
export function LiveList<Row extends Identified>({ live, empty, ...list }: LiveListProps<Row>) {
  const { rows, hasMore, newer, isFollowing, showNewest } = live;
  return (
    <section aria-label={list.name}>
      <Problem of={live} />
      {rows?.length === 0 && !hasMore ? empty : rows && <List {...live} {...list} rows={rows} />}
      {!isFollowing && newer > 0 && (
        <button type="button" class="main newer" onClick={showNewest}>
          {`↑ ${formatSome(newer, `new ${list.kind}`)}`}
        </button>
      )}
    </section>
  );
}

/** Whether a list follows, and the buttons that pause it and clear it. */
export function LiveControls({ live }: { readonly live: LiveRows<Identified> }) {
  const { isPaused, isFollowing, pause } = live;
  return (
    <>
      <span class={`badge ${isFollowing && !lost.value ? 'good' : ''}`}>
        {lost.value ? 'Not connected' : isFollowing ? 'Live' : isPaused ? 'Paused' : 'Not following'}
      </span>
      <button type="button" aria-pressed={isPaused} onClick={() => pause(!isPaused)}>
        {isPaused ? 'Resume' : 'Pause'}
      </button>
      <ClearButton />
    </>
  );
}
