import { useState } from 'preact/hooks';
import type {
  RequestContent,
  RequestDetails,
  RequestRow,
  SentRequest,
  TrackerRows,
} from '../../src/admin/contract.ts';
import { CopyButton } from '../parts/copy.tsx';
import { Problem } from '../parts/dialog.tsx';
import { EventLinks, Facts } from '../parts/facts.tsx';
import { JsonView } from '../parts/json-view.tsx';
import { SidePanel } from '../parts/side-panel.tsx';
import { escapeUnseen, formatBytes, formatCount, formatDuration, shownText, Time } from '../parts/text.tsx';
import { ask } from '../shell/ask.ts';
import { useAnswer, useTask } from '../shell/asking.ts';
import type { Rows } from '../shell/rows.ts';

const SHOWN = 20;
const NO_KEY = <span class="muted">none that is valid</span>;
const NO_AGENT = <span class="muted">not told</span>;

/** All details of a request. */
export function RequestPanel({ id, rows }: { readonly id: number; readonly rows: Rows<RequestRow> }) {
  const { value: row, error, again } = useAnswer<RequestDetails>(`/requests/${id}`);
  return (
    <SidePanel title={`Request ${id}`} rows={rows}>
      <Problem error={error} onRetry={again} />
      {row !== undefined && <Request row={row} />}
    </SidePanel>
  );
}

function Request({ row }: { readonly row: RequestDetails }) {
  const { error, fault, events, repeated, content } = row;
  const known = repeated ? `, ${formatCount(repeated)} of them known by their uuid` : '';
  return (
    <>
      {error !== null && (
        <section class="stack" aria-label="Why">
          <p class="notice bad">{error.message}</p>
          <Facts
            of={[
              ['Code', <code key="code">{error.code}</code>],
              ['Field', error.field && <code key="field">{error.field}</code>],
            ]}
          />
        </section>
      )}
      {fault !== null && (
        <p class="notice">
          <strong>A fault acted on it:</strong> {fault}
        </p>
      )}
      <Facts
        of={[
          ['Answer', [<Status key="status" row={row} />, row.status === null && ` ${missingAnswer(row)}`]],
          ['What', purpose(row)],
          ['Request', <code key="request">{`${row.method} ${row.path}`}</code>],
          ['Received', <Time key="received" value={row.receivedAt} />],
          ['Took', formatDuration(row.durationMs)],
          ['Body', formatBytes(row.bytes)],
          ['API key', row.keyName ?? NO_KEY],
          ['User agent', row.userAgent ?? NO_AGENT],
          ['Events', events === null ? undefined : formatCount(events) + known],
        ]}
      />
      {row.isRepeatable && <SendAgain id={row.id} />}
      {content === null ? (
        <p class="muted">Its content is no longer kept: the emulator keeps that of the latest requests.</p>
      ) : (
        <>
          <Message title="Sent" message={content} />
          {content.answer && <Message title="Answered" message={content.answer} />}
        </>
      )}
      <NewEvents row={row} />
    </>
  );
}

function SendAgain({ id }: { readonly id: number }) {
  const [answer, setAnswer] = useState<SentRequest | undefined>();
  const task = useTask();
  const send = () =>
    task.run(async () => setAnswer(await ask<SentRequest>(`/requests/${id}/again`, { method: 'POST' })));
  return (
    <div class="row">
      <button type="button" disabled={task.isRunning} onClick={send}>
        Send again
      </button>
      <span class="muted" role="status">
        {answer !== undefined && `Sent again: ${answer.status ?? 'no answer'}`}
      </span>
      <Problem error={task.error} />
    </div>
  );
}

interface MessageProps {
  readonly title: string;
  readonly message: Pick<RequestContent, 'headers' | 'body' | 'isCut'>;
}

/** What was sent or answered: headers and body. */
function Message({ title, message: { headers, body, isCut } }: MessageProps) {
  return (
    <section class="stack" aria-label={title}>
      <div class="row">
        <h3 class="grow">{title}</h3>
        {body !== '' && <CopyButton text={body} label={`Copy the body: ${title}`} />}
      </div>
      <details>
        <summary>{`${headers.length} headers`}</summary>
        <Facts class="mono" of={headers.map(([name, value]) => [name, escapeUnseen(value)])} />
      </details>
      {body === '' && <p class="muted">No body.</p>}
      {isJson(body) && <JsonView text={body} />}
      {body !== '' && !isJson(body) && (
        <div class="json">
          <pre>
            <code>{body}</code>
          </pre>
        </div>
      )}
      {isCut && <p class="muted">This is the first part of the body. The rest was not kept.</p>}
    </section>
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The first new events of a request. */
function NewEvents({ row }: { readonly row: RequestRow }) {
  const { firstEvent, events, repeated, error } = row;
  // If events were left out, the number of new events is not known.
  const brought = error === null ? (events ?? 0) - (repeated ?? 0) : 1;
  const shown = Math.min(brought, SHOWN);
  const isAny = firstEvent !== null && shown > 0;
  const path = isAny ? `/tracker?before=${firstEvent + shown}&limit=${shown}` : undefined;
  const { value, error: problem, again } = useAnswer<TrackerRows>(path);
  if (!isAny) return null;
  const rows = (value?.rows ?? []).filter(({ id }) => id >= firstEvent).reverse();
  return (
    <section class="stack" aria-label="Events">
      <h3>New events in it</h3>
      <Problem error={problem} onRetry={again} />
      <EventLinks rows={rows} aside={({ correlationValue }) => shownText(correlationValue)} />
      {brought > shown && <p class="muted">These are the first {SHOWN}.</p>}
    </section>
  );
}

/** What a request was for. */
export function purpose({ method, path }: RequestRow): string {
  if (method === 'POST' && path === '/api/events/batch/') return 'Batch';
  if (method === 'POST' && path === '/customers/read') return 'Read a customer';
  return `${method} ${path}`;
}

/** The status of its answer. */
export function Status({ row }: { readonly row: RequestRow }) {
  const { status, error } = row;
  const tone = status === null || status >= 400 ? 'bad' : error === null ? 'good' : 'warn';
  return <span class={`badge number ${tone}`}>{status ?? (hangs(row) ? 'none' : 'cut')}</span>;
}

function missingAnswer(row: RequestRow): string {
  return hangs(row) ? 'It is never answered.' : 'The connection was cut instead of an answer.';
}

function hangs({ fault }: RequestRow): boolean {
  return fault?.endsWith('never answers') ?? false; // as the fault describes itself
}
