import type { RequestRow } from '../../src/admin/contract.ts';
import { ActButton, Empty } from '../parts/dialog.tsx';
import { Choice, SearchField } from '../parts/field.tsx';
import { type Column, LiveControls, LiveList, RECEIVED } from '../parts/list.tsx';
import { formatDuration, formatSome } from '../parts/text.tsx';
import { FirstEvent } from '../settings/first-event.tsx';
import { status } from '../shell/live.ts';
import { useLiveRows } from '../shell/live-rows.ts';
import { openId, route, setQuery } from '../shell/route.ts';
import { purpose, RequestPanel, Status, size } from './request-panel.tsx';

const OUTCOMES = { '': 'All', taken: 'Taken', refused: 'Refused', fault: 'Fault' };

const COLUMNS: readonly Column<RequestRow>[] = [
  { head: 'Status', width: '54px', place: 'lead', cell: (row) => <Status row={row} /> },
  {
    head: 'Request',
    width: 'minmax(110px, 1fr)',
    place: 'main',
    cell: (row) => (
      <>
        {purpose(row)}
        {row.events !== null && <span class="muted"> · {formatSome(row.events, 'event')}</span>}
        {row.repeated !== null && row.repeated > 0 && <span class="muted"> ({row.repeated} known)</span>}
      </>
    ),
  },
  { head: 'Reason, or key and user agent', width: 'minmax(0, 2fr)', place: 'below', cell: reason },
  { head: 'Size', width: '74px', class: 'muted end', cell: size },
  { head: 'Took', width: '74px', class: 'muted end', cell: (row) => formatDuration(row.durationMs) },
  RECEIVED,
];

/** The requests to the service, as they arrive. Look here if no event arrives. */
export function RequestsPage() {
  const { outcome = '', search = '' } = route.value.query;
  const open = openId();
  const isAll = outcome === '' && search === '';
  const path = `/requests?${new URLSearchParams({ outcome, search, limit: '50' })}`;
  const live = useLiveRows<RequestRow>(path, status.value?.newestRequest ?? 0, isAll);
  return (
    <>
      <div class="toolbar row">
        <LiveControls live={live} />
        <ActButton label="Send a test event" method="POST" path="/requests/test-event" />
      </div>
      <div class="row">
        <Choice
          label="Which requests are shown"
          choices={OUTCOMES}
          value={outcome}
          onChange={(outcome) => setQuery({ outcome })}
        />
        <SearchField
          field="search"
          label="Search requests"
          placeholder="Search by status, key, path, user agent"
        />
      </div>
      <div class="split">
        <LiveList
          name="Requests"
          kind="request"
          live={live}
          columns={COLUMNS}
          empty={
            isAll ? <FirstEvent title="No request has arrived yet" /> : <Empty title="No request matches" />
          }
        />
        {open !== undefined && <RequestPanel id={open} rows={live.rows} />}
      </div>
    </>
  );
}

function reason({ error, fault, keyName, userAgent }: RequestRow) {
  const sender = [keyName && `key ${keyName}`, userAgent].filter(Boolean).join(' · ');
  return (
    <>
      {fault !== null && <span class="badge warn">fault</span>}{' '}
      <span class={error === null ? 'muted' : 'bad'}>{error?.message ?? fault ?? sender}</span>
    </>
  );
}
