import type { TrackerRow } from '../../src/admin/contract.ts';
import { Empty } from '../parts/dialog.tsx';
import { LiveControls, LiveList } from '../parts/live-list.tsx';
import { formatSome } from '../parts/text.tsx';
import { FirstEvent } from '../settings/first-event.tsx';
import { status } from '../shell/live.ts';
import { openId } from '../shell/route.ts';
import { AT_ONCE, type Source } from '../shell/rows.ts';
import { useLiveRows } from '../shell/use-rows.ts';
import { filter, isOpen, trackerPath } from './event-filter.ts';
import { eventColumns, ResultLine } from './event-list.tsx';
import { EventPanel } from './event-panel.tsx';
import { FilterBar } from './filter-bar.tsx';
import { RateChart } from './rate-chart.tsx';

/** The event tracker: new events as they arrive, and older ones. The address says what is searched and open. */
export function TrackerPage() {
  const isAll = isOpen(filter.value);
  const open = openId();
  const { newestEvent = 0, unique = 0, received = 0, maxEvents = null } = status.value ?? {};
  const path = trackerPath('', { limit: String(AT_ONCE) });
  const live = useLiveRows<TrackerRow>(path, newestEvent, isAll, isAll ? allEvents : undefined);
  const { length } = live.shown.state;
  return (
    <>
      <div class="toolbar row">
        <span class="muted">
          {formatSome(unique, 'event')}
          {received > unique && ` · ${formatSome(received - unique, 'repeat')}`}
          {maxEvents !== null && unique >= maxEvents && ' · older ones are removed'}
        </span>
        <LiveControls live={live} />
        <a class="button" href={`/emulator/admin${trackerPath('/export')}`} download="events.ndjson">
          Export
        </a>
      </div>
      {isAll && length === 0 && unique === 0 ? (
        <Empty title="No event has arrived yet">
          <FirstEvent />
        </Empty>
      ) : (
        <>
          <RateChart isPaused={live.isPaused} />
          <FilterBar />
          <ResultLine length={length} />
          <div class="split">
            <LiveList name="Events" kind="event" live={live} columns={eventColumns()} empty={null} />
            {open !== undefined && <EventPanel id={open} rows={live.shown} />}
          </div>
        </>
      )}
    </>
  );
}

/** All events. Their ids increase by one, so any index can be read at once. */
function allEvents(read: Source<TrackerRow>['read']): Source<TrackerRow> {
  let newest = 0;
  return {
    read: async (from, signal) => {
      const { rows } = await read(from === 0 ? 0 : newest - from + 1, signal);
      if (from === 0) newest = rows[0]?.id ?? 0;
      const oldest = Math.max(1, status.peek()?.oldestEvent ?? 1);
      return { rows, total: newest === 0 ? 0 : Math.max(0, newest - oldest + 1) };
    },
    indexOf: (id) => newest - id,
  };
}
