import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Problem } from '../parts/dialogs/problem.tsx';
import { formatSome } from '../parts/text/numbers.ts';
import { isLost, status } from '../shell/live.ts';
import { link, pushRoute, replaceRoute, route } from '../shell/route.ts';
import { EventPanel } from './event-panel.tsx';
import { type EventFilter, isOpen, readFilter } from './filter/event-filter.ts';
import { FilterBar } from './filter/filter-bar.tsx';
import { EventList } from './list/event-list.tsx';
import { EventRows } from './list/event-rows.ts';
import { useFollowing } from './list/following.ts';
import { ListPosition } from './list/list-position.ts';
import { NoEvents } from './list/no-events.tsx';
import { ResultLine } from './list/result-line.tsx';
import { RateChart } from './rates/rate-chart.tsx';
import { Toolbar } from './toolbar.tsx';

/** The event tracker: new events as they arrive, and older ones. The address says what is searched and open. */
export function TrackerPage() {
  const { rest, query } = route.value;
  const search = query.toString();
  const filter = useMemo(() => readFilter(new URLSearchParams(search)), [search]);
  const openId = /^\d+$/.test(rest[0] ?? '') ? Number(rest[0]) : undefined;
  const position = useMemo(() => new ListPosition(), []);
  const [isPaused, setPaused] = useState(false);
  const rows = useRows(filter, position);
  const isReading = position.offset.value > 0 || position.active.value !== undefined || openId !== undefined;
  const isFollowing = !isPaused && !isReading;
  const newer = useFollowing(rows.asked, filter, isFollowing);

  const address = (id?: number) => link(id === undefined ? ['tracker'] : ['tracker', String(id)], filter);
  const open = (id: number) => {
    if (position.active.peek() !== undefined) position.active.value = rows.shown.indexOf(id);
    location.hash = address(id);
  };
  const step = (id: number | undefined) => {
    if (id === undefined) return;
    if (position.active.peek() !== undefined) position.active.value = rows.shown.indexOf(id);
    replaceRoute(address(id));
  };
  const close = () => {
    location.hash = address();
  };
  const showNewest = () => {
    position.reset();
    void rows.asked.renew(status.value?.newestEvent ?? 0);
  };
  const setFilter = useCallback(
    (changed: EventFilter) =>
      pushRoute(link(['tracker', ...rest], changed), filter.text === changed.text ? '' : 'text'),
    [rest, filter],
  );

  const oldest = status.value?.oldestEvent ?? 1;
  const length = rows.shown.length(oldest);
  const isEmpty = isOpen(filter) && !rows.shown.isNew && length === 0 && status.value?.unique === 0;
  return (
    <div class="tracker">
      <Toolbar filter={filter} isFollowing={isFollowing} isPaused={isPaused} onPause={setPaused} />
      {isEmpty ? (
        <NoEvents />
      ) : (
        <>
          <RateChart isPaused={isPaused} filter={filter} onPick={(name) => setFilter({ ...filter, name })} />
          <FilterBar filter={filter} onChange={setFilter} />
          <div class="split tracker-list">
            <section class="list-frame" aria-label="Events">
              <ResultLine filter={filter} rows={rows.shown} length={length} />
              <Problem error={isLost.value ? undefined : rows.asked.error} onRetry={showNewest} />
              <EventList
                rows={rows.shown}
                length={length}
                position={position}
                openId={openId}
                onOpen={open}
                onEscape={openId === undefined ? () => position.reset() : close}
              />
              {!isFollowing && newer > 0 && (
                <button type="button" class="main new-events" onClick={showNewest}>
                  {`↑ ${formatSome(newer, 'new event')}`}
                </button>
              )}
            </section>
            {openId !== undefined && (
              <EventPanel
                id={openId}
                newerId={rows.shown.neighbour(openId, -1, oldest)}
                olderId={rows.shown.neighbour(openId, 1, oldest)}
                onStep={step}
                onClose={close}
              />
            )}
          </div>
        </>
      )}
    </div>
  );
}

/** The rows for a filter. Until the rows of a new filter arrive, the old ones stay on the screen. */
function useRows(filter: EventFilter, position: ListPosition): { asked: EventRows; shown: EventRows } {
  const asked = useMemo(() => new EventRows(filter), [filter]);
  const shown = useRef(asked);
  if (!asked.isNew) shown.current = asked;
  useEffect(() => () => asked.close(), [asked]);
  useEffect(() => position.reset(), [position, filter]);
  return { asked, shown: shown.current };
}
