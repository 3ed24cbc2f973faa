import { useState } from 'preact/hooks';
import type { RequestContent, RequestDetails, RequestRow, SentRequest } from '../../src/admin/contract.ts';
import { ActButton } from '../parts/dialog.tsx';
import { EventLinks } from '../parts/event-links.tsx';
import { Facts } from '../parts/facts.tsx';
import { JsonView } from '../parts/json-view.tsx';
import { type PanelProps, SidePanel } from '../parts/side-panel.tsx';
import { escapeUnseen, formatBytes, formatCount, formatDuration, shownText, Time } from '../parts/text.tsx';
import { useAnswer } from '../shell/asking.ts';

const SHOWN = 20;

/** All details of a request. */
export function RequestPanel({ id, rows }: PanelProps) {
  const answer = useAnswer<RequestDetails>(`/requests/${id}`);
  return (
    <SidePanel title={`Request ${id}`} answer={answer} rows={rows}>
      {answer.value && <Request key={id} row={answer.value} />}
    </SidePanel>
  );
}

function Request({ row }: { readonly row: RequestDetails }) {
  const [sent, setSent] = useState<SentRequest | undefined>();
  const { error, fault, events, firstEvent, repeated, content } = row;
  // If events were left out, the number of new events is not known.
  const brought = error === null ? (events ?? 0) - (repeated ?? 0) : 1;
  const shown = Math.min(brought, SHOWN);
  const known = repeated ? `, ${formatCount(repeated)} of them known by their uuid` : '';
  return (
    <>
      {error && <p class="notice bad">{error.message}</p>}
      {fault !== null && (
        <p class="notice">
          <strong>A fault acted on it:</strong> {fault}
        </p>
      )}
      <Facts
        of={[
          ['Code', error && <code key="code">{error.code}</code>],
          ['Field', error?.field && <code key="field">{error.field}</code>],
          ['Answer', <Status key="status" row={row} />],
          ['Request', <code key="request">{`${row.method} ${row.path}`}</code>],
          ['Received', <Time key="received" value={row.receivedAt} />],
          ['Took', formatDuration(row.durationMs)],
          ['Body', size(row)],
          ['API key', row.keyName ?? <span class="muted">none that is valid</span>],
          ['User agent', row.userAgent],
          ['Events', events !== null && formatCount(events) + known],
        ]}
      />
      {row.isRepeatable && (
        <div class="row">
          <ActButton label="Send again" method="POST" path={`/requests/${row.id}/again`} onDone={setSent} />
          <span class="muted" role="status">
            {sent && `Sent again: ${sent.status ?? 'no answer'}`}
          </span>
        </div>
      )}
      {content === null ? (
        <p class="muted">Its content is no longer kept: the emulator keeps that of the latest requests.</p>
      ) : (
        <>
          <Message title="Sent" message={content} />
          {content.answer && <Message title="Answered" message={content.answer} />}
        </>
      )}
      {firstEvent !== null && shown > 0 && (
        <EventLinks
          title={brought > shown ? `The first ${shown} new events in it` : 'New events in it'}
          of={{ before: String(firstEvent + shown), limit: String(shown) }}
          aside={({ correlationValue }) => shownText(correlationValue)}
          isOldestFirst
        />
      )}
    </>
  );
}

interface MessageProps {
  readonly title: string;
  readonly message: Pick<RequestContent, 'headers' | 'body' | 'isCut'>;
}

/** What was sent or answered: headers and body. */
function Message({ title, message: { headers, body, isCut } }: MessageProps) {
  return (
    <>
      {body === '' ? <h3>{`${title}: no body`}</h3> : <JsonView title={title} text={body} />}
      {isCut && <p class="muted">This is the first part of the body. The rest was not kept.</p>}
      <details>
        <summary>{`${title}: headers (${headers.length})`}</summary>
        <Facts class="mono" of={headers.map(([name, value]) => [name, escapeUnseen(value)])} />
      </details>
    </>
  );
}

/** The size of the body of a request. */
export function size({ bytes }: RequestRow): string {
  return bytes === null ? 'not read' : formatBytes(bytes);
}

/** What a request was for. */
export function purpose({ method, path }: RequestRow): string {
  if (method === 'POST' && path === '/api/events/batch/') return 'Batch';
  if (method === 'POST' && path === '/customers/read') return 'Read a customer';
  return `${method} ${path}`;
}

/** The status of its answer. */
export function Status({ row: { status, error, fault } }: { readonly row: RequestRow }) {
  const tone = status === null || status >= 400 ? 'bad' : error === null ? 'good' : 'warn';
  const hangs = fault?.endsWith('never answers'); // as the fault describes itself
  const missing = hangs ? 'It is never answered' : 'The connection was cut instead of an answer';
  return (
    <span class={`badge ${tone}`} title={status === null ? missing : undefined}>
      {status ?? (hangs ? 'none' : 'cut')}
    </span>
  );
}
