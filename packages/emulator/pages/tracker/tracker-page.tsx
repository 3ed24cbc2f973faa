import type { TrackerRow } from '../../src/admin/contract.ts';
import { LiveControls, LiveList } from '../parts/list.tsx';
import { formatSome } from '../parts/text.tsx';
import { FirstEvent } from '../settings/first-event.tsx';
import { status } from '../shell/live.ts';
import { useLiveRows } from '../shell/live-rows.ts';
import { openId, route } from '../shell/route.ts';
import { isOpen, trackerPath } from './event-filter.ts';
import { eventColumns, ResultLine } from './event-list.tsx';
import { EventPanel } from './event-panel.tsx';
import { FilterBar } from './filter-bar.tsx';
import { RateChart } from './rate-chart.tsx';

/** The event tracker: new events as they arrive, and older ones. The address says what is searched and open. */
export function TrackerPage() {
  const isAll = isOpen(route.value.query);
  const open = openId();
  const { newestEvent = 0, unique = 0, received = 0, maxEvents = null } = status.value ?? {};
  const live = useLiveRows<TrackerRow>(trackerPath('', { limit: '50' }), newestEvent, isAll);
  const isEmpty = live.rows?.length === 0 && !live.hasMore;
  return (
    <>
      <div class="toolbar row">
        <span class="muted">
          {formatSome(unique, 'event')}
          {received > unique && ` · ${formatSome(received - unique, 'repeat')}`}
          {maxEvents !== null && unique >= maxEvents && ' · older ones are removed'}
        </span>
        <LiveControls live={live} />
        <a class="button" href={`/emulator${trackerPath('/export')}`} download="events.ndjson">
          Export
        </a>
      </div>
      {isAll && isEmpty && unique === 0 ? (
        <FirstEvent title="No event has arrived yet" />
      ) : (
        <>
          <RateChart isPaused={live.isPaused} />
          <FilterBar />
          <ResultLine isEmpty={isEmpty} />
          <div class="split">
            <LiveList name="Events" kind="event" live={live} columns={eventColumns.value} empty={null} />
            {open !== undefined && <EventPanel id={open} rows={live.rows} />}
          </div>
        </>
      )}
    </>
  );
}
