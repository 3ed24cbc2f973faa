import { useState } from 'preact/hooks';
import type { RequestRow, RequestRows } from '../../src/admin/contract.ts';
import { ClearButton, Empty, Problem } from '../parts/dialog.tsx';
import { Choice, SearchField } from '../parts/field.tsx';
import { formatBytes, formatCount, formatDuration, formatSome, Time } from '../parts/text.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { ask } from '../shell/ask.ts';
import { useTask } from '../shell/asking.ts';
import { status } from '../shell/live.ts';
import { here, openId, pushRoute, route } from '../shell/route.ts';
import { AT_ONCE, type Source } from '../shell/rows.ts';
import { isNarrow, ROW, ROW_OF_TWO_LINES } from '../shell/screen.ts';
import { useRows } from '../shell/use-rows.ts';
import { NothingArrives } from './nothing-arrives.tsx';
import { purpose, RequestPanel, Status } from './request-panel.tsx';

const OUTCOMES = { '': 'All', taken: 'Taken', refused: 'Refused', fault: 'Fault' } as const;
type Outcome = keyof typeof OUTCOMES;

/** The requests to the service, as they arrive. Look here if no event arrives. */
export function RequestsPage() {
  const { query } = route.value;
  const open = openId();
  const outcome = toOutcome(query.get('outcome') ?? '');
  const search = query.get('search') ?? '';
  const task = useTask();
  const newest = status.value?.newestRequest ?? 0;
  const [pausedAt, setPausedAt] = useState<number | undefined>();
  const path = `/requests?${new URLSearchParams({ limit: String(AT_ONCE), outcome, search })}`;
  const { asked, shown: list } = useRows(path, () => requests(path), newest, pausedAt !== undefined);
  const isEmpty = list.state.length === 0;
  const isAll = outcome === '' && search === '';
  const waiting = newest - (pausedAt ?? newest);
  return (
    <>
      <div class="row">
        <Choice
          label="Which requests are shown"
          choices={OUTCOMES}
          value={outcome}
          onChange={(outcome) => pushRoute(here(open, { outcome }))}
        />
        <SearchField
          label="Search requests"
          placeholder="Search by status, key, path, user agent"
          value={search}
          onChange={(search) => pushRoute(here(open, { search }), 'search')}
        />
        <button
          type="button"
          aria-pressed={pausedAt !== undefined}
          onClick={() => setPausedAt(pausedAt === undefined ? newest : undefined)}
        >
          {pausedAt === undefined ? 'Pause' : `Resume${waiting > 0 ? ` (${formatCount(waiting)} new)` : ''}`}
        </button>
        <button
          type="button"
          disabled={task.isRunning}
          onClick={() => task.run(() => ask('/requests/test-event', { method: 'POST' }))}
        >
          Send a test event
        </button>
        <ClearButton />
      </div>
      {!(isEmpty && isAll) && (
        <details>
          <summary>Something is missing?</summary>
          <NothingArrives />
        </details>
      )}
      <Problem error={asked.state.error ?? task.error} onRetry={() => asked.renew(newest)} />
      <div class="split long">
        <div>
          {isEmpty && isAll && (
            <Empty title="No request has come yet">
              <NothingArrives />
            </Empty>
          )}
          {isEmpty && !isAll && <Empty title="No request matches" />}
          {!isEmpty && (
            <>
              {/* For the eye: each row says what it shows. */}
              <div class="list-row request list-head muted" aria-hidden="true">
                <span>Status</span>
                <span>Request</span>
                <span class="request-why">Reason, or key and user agent</span>
                <span class="request-size">Size</span>
                <span class="request-size">Took</span>
                <span class="request-time">Received</span>
              </div>
              <VirtualList
                name="Requests"
                rows={list}
                rowHeight={isNarrow.value ? ROW_OF_TWO_LINES : ROW}
                kind="request"
                cells={(row) => <Cells row={row} />}
              />
            </>
          )}
        </div>
        {open !== undefined && <RequestPanel key={open} id={open} rows={list} />}
      </div>
    </>
  );
}

function Cells({ row }: { readonly row: RequestRow }) {
  const { events, repeated, error, fault, keyName, userAgent } = row;
  const sender = [keyName && `key ${keyName}`, userAgent].filter(Boolean).join(' · ');
  return (
    <>
      <Status row={row} />
      <span class="request-what cut">
        {purpose(row)}
        {events !== null && <span class="muted number"> · {formatSome(events, 'event')}</span>}
        {repeated !== null && repeated > 0 && <span class="muted"> ({repeated} known)</span>}
      </span>
      <span class="request-why cut">
        {fault !== null && <span class="badge warn">fault</span>}{' '}
        <span class={error === null ? 'muted' : 'is-bad'}>{error?.message ?? fault ?? sender}</span>
      </span>
      <span class="request-size muted number">{formatBytes(row.bytes)}</span>
      <span class="request-size muted number">{formatDuration(row.durationMs)}</span>
      <span class="request-time muted">
        <Time value={row.receivedAt} />
      </span>
    </>
  );
}

function requests(path: string): Source<RequestRow> {
  return {
    read: async (from, signal) => {
      const before = from === 0 ? '' : `&before=${from}`;
      const { rows, hasMore } = await ask<RequestRows>(path + before, { signal });
      return { rows, next: hasMore ? (rows.at(-1)?.id ?? null) : null };
    },
  };
}

function toOutcome(text: string): Outcome {
  return Object.hasOwn(OUTCOMES, text) ? (text as Outcome) : '';
}
