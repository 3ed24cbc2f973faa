import { useState } from 'preact/hooks';
import type { RequestRow, RequestRows } from '../../src/admin/contract.ts';
import { ClearButton } from '../parts/dialogs/clear-button.tsx';
import { Problem } from '../parts/dialogs/problem.tsx';
import { Empty } from '../parts/empty.tsx';
import { RowList } from '../parts/row-list.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { Segments } from '../parts/segments.tsx';
import { formatCount } from '../parts/text/numbers.ts';
import { ask } from '../shell/asking/ask.ts';
import { useTask } from '../shell/asking/task.ts';
import { status } from '../shell/live.ts';
import { link, pushRoute, replaceRoute, route } from '../shell/route.ts';
import { useRows } from '../shell/rows.ts';
import { isNarrow, ROW, ROW_OF_TWO_LINES } from '../shell/screen.ts';
import { NothingArrives } from './nothing-arrives.tsx';
import { RequestHead, RequestItem } from './request-item.tsx';
import { RequestPanel } from './request-panel.tsx';

const OUTCOMES = { all: 'All', taken: 'Taken', refused: 'Refused', fault: 'Fault' } as const;
type Outcome = keyof typeof OUTCOMES;

/** The requests to the service, as they arrive. Look here if no event arrives. */
export function RequestsPage() {
  const { rest, query } = route.value;
  const [open = ''] = rest;
  const outcome = toOutcome(query.get('outcome'));
  const search = query.get('search') ?? '';
  const task = useTask();
  const newest = status.value?.newestRequest;
  const [pausedAt, setPausedAt] = useState<number | undefined>();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const path = `/requests?${new URLSearchParams({ limit: '100', outcome: outcome === 'all' ? '' : outcome, search })}`;
  const list = useRows<RequestRow, RequestRows>(path, (page) => page, pausedAt ?? newest);
  const to = (part: string, of: Outcome = outcome, text: string = search) =>
    link(part === '' ? ['requests'] : ['requests', part], { outcome: of === 'all' ? '' : of, search: text });
  const isEmpty = list.first !== undefined && list.rows.length === 0;
  const isAll = outcome === 'all' && search === '';
  const waiting = pausedAt === undefined ? 0 : (newest ?? 0) - pausedAt;
  return (
    <>
      <div class="bar-of-tools">
        <Segments
          label="Which requests are shown"
          choices={OUTCOMES}
          value={outcome}
          onChange={(of) => pushRoute(to(open, of))}
        />
        <SearchField
          label="Search requests"
          placeholder="Search by status, key, path, user agent"
          value={search}
          onChange={(text) => pushRoute(to(open, outcome, text), 'search')}
        />
        <button
          type="button"
          aria-pressed={pausedAt !== undefined}
          onClick={() => setPausedAt(pausedAt === undefined ? (newest ?? 0) : undefined)}
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
        {!(isEmpty && isAll) && (
          <button
            type="button"
            class="quiet last"
            aria-expanded={isHelpOpen}
            onClick={() => setHelpOpen(!isHelpOpen)}
          >
            Something is missing?
          </button>
        )}
      </div>
      {isHelpOpen && (
        <section class="card" aria-label="When something is missing">
          <NothingArrives />
        </section>
      )}
      <Problem error={list.error ?? task.error} onRetry={list.again} />
      <div class="split long">
        <div>
          {isEmpty && isAll && (
            <Empty title="No request has come yet">
              <NothingArrives />
            </Empty>
          )}
          {isEmpty && !isAll && <Empty title="No request matches" />}
          {!isEmpty && <RequestHead />}
          <RowList
            list={list}
            name="Requests"
            rowHeight={isNarrow.value ? ROW_OF_TWO_LINES : ROW}
            Item={RequestItem}
            to={(id) => to(id)}
            open={open}
          />
        </div>
        {/^\d+$/.test(open) && (
          <RequestPanel
            key={open}
            id={Number(open)}
            onStep={(step) => {
              const at = list.rows.findIndex(({ id }) => id === Number(open));
              const next = at === -1 ? undefined : list.rows[at + step];
              if (next !== undefined) replaceRoute(to(String(next.id)));
            }}
            onClose={() => {
              location.hash = to('');
            }}
          />
        )}
      </div>
    </>
  );
}

function toOutcome(text: string | null): Outcome {
  return text !== null && Object.hasOwn(OUTCOMES, text) ? (text as Outcome) : 'all';
}
