import { useEffect, useRef, useState } from 'preact/hooks';
import type { TrackerRow, TrackerRows } from '../../src/admin/contract.ts';
import { ClearButton, Problem } from '../parts/dialog.tsx';
import { Menu } from '../parts/menu.tsx';
import { formatSome } from '../parts/text.tsx';
import { ask } from '../shell/ask.ts';
import { useAnswer } from '../shell/asking.ts';
import { isLost, status } from '../shell/live.ts';
import { openId } from '../shell/route.ts';
import { AT_ONCE, type Source } from '../shell/rows.ts';
import { useRows } from '../shell/use-rows.ts';
import { filter, isOpen, trackerPath } from './event-filter.ts';
import { EventList, ResultLine } from './event-list.tsx';
import { EventPanel } from './event-panel.tsx';
import { FilterBar } from './filter-bar.tsx';
import { NoEvents } from './no-events.tsx';
import { RateChart } from './rate-chart.tsx';

const COUNT_EVERY_MS = 1_000;

/** The event tracker: new events as they arrive, and older ones. The address says what is searched and open. */
export function TrackerPage() {
  const isAll = isOpen(filter.value);
  const open = openId();
  const frame = useRef<HTMLDivElement>(null);
  const [isPaused, setPaused] = useState(false);
  const [isReading, setReading] = useState(false);
  const isFollowing = !isPaused && !isReading && open === undefined;
  const { newestEvent = 0, unique = 0, received = 0 } = status.value ?? {};
  const path = trackerPath('', { limit: String(AT_ONCE) });
  const source = () => (isAll ? allEvents(path) : foundEvents(path));
  const { asked, shown } = useRows<TrackerRow>(path, source, newestEvent, !isFollowing);
  useEffect(() => frame.current?.scrollTo(0, 0), [path]);

  const { newest, length } = shown.state;
  const latest = useAnswer<TrackerRows>(
    isAll || isFollowing ? undefined : path,
    Math.floor(performance.now() / COUNT_EVERY_MS),
  );
  const newer = isAll
    ? newestEvent - newest
    : (latest.value?.rows.filter(({ id }) => id > newest).length ?? 0);

  const showNewest = () => {
    frame.current?.scrollTo(0, 0);
    asked.want(0, 0);
    asked.renew(newestEvent);
  };
  const isEmpty = isAll && length === 0 && unique === 0;
  return (
    <div class="tracker">
      <div class="toolbar row">
        <span class="muted number">
          {formatSome(unique, 'event')}
          {received > unique && ` · ${formatSome(received - unique, 'repeat')}`}
        </span>
        <span class={`pulse ${isFollowing && !isLost.value ? 'is-live' : ''}`}>
          {isLost.value ? 'Not connected' : isFollowing ? 'Live' : isPaused ? 'Paused' : 'Not following'}
        </span>
        <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Resume' : 'Pause'}
        </button>
        <ClearButton />
        <Menu label="Export">
          <p class="muted">{isAll ? 'All events:' : 'What the filter shows:'}</p>
          <Download format="ndjson" label="NDJSON, as received" />
          <Download format="csv" label="CSV, for a spreadsheet" />
        </Menu>
      </div>
      {isEmpty ? (
        <NoEvents />
      ) : (
        <>
          <RateChart isPaused={isPaused} />
          <FilterBar />
          <div class="split tracker-list">
            <section class="list-frame" aria-label="Events">
              <ResultLine length={length} />
              <Problem error={isLost.value ? undefined : asked.state.error} onRetry={showNewest} />
              <EventList rows={shown} frame={frame} onReading={setReading} />
              {!isFollowing && newer > 0 && (
                <button type="button" class="main new-events" onClick={showNewest}>
                  {`↑ ${formatSome(newer, 'new event')}`}
                </button>
              )}
            </section>
            {open !== undefined && <EventPanel id={open} rows={shown} />}
          </div>
        </>
      )}
    </div>
  );
}

/** All events. Their ids increase by one, so any index can be read at once. */
function allEvents(path: string): Source<TrackerRow> {
  let newest = 0;
  return {
    read: async (from, signal) => {
      const before = from === 0 ? '' : `&before=${newest - from + 1}`;
      const { rows } = await ask<TrackerRows>(path + before, { signal });
      if (from === 0) newest = rows[0]?.id ?? 0;
      const oldest = Math.max(1, status.peek()?.oldestEvent ?? 1);
      return { rows, total: newest === 0 ? 0 : Math.max(0, newest - oldest + 1) };
    },
    indexOf: (id) => newest - id,
  };
}

/** The events that match a filter. */
function foundEvents(path: string): Source<TrackerRow> {
  return {
    read: (from, signal) => ask<TrackerRows>(path + (from === 0 ? '' : `&before=${from}`), { signal }),
  };
}

function Download({ format, label }: { readonly format: string; readonly label: string }) {
  return (
    <a href={`/emulator/admin${trackerPath('/export', { format })}`} download={`events.${format}`}>
      {label}
    </a>
  );
}
