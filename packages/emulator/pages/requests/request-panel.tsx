import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { RequestDetails, SentRequest } from '../../src/admin/contract.ts';
import { Problem } from '../parts/dialogs/problem.tsx';
import { SidePanel } from '../parts/side-panel.tsx';
import { formatBytes, formatCount, formatDuration } from '../parts/text/numbers.ts';
import { Time } from '../parts/text/time.tsx';
import { useAnswer } from '../shell/asking/answer.ts';
import { ask } from '../shell/asking/ask.ts';
import { useTask } from '../shell/asking/task.ts';
import { Content } from './request-content.tsx';
import { RequestEvents } from './request-events.tsx';
import { missingAnswer, purpose, statusText, tone } from './request-words.ts';

interface RequestPanelProps {
  readonly id: number;
  readonly onClose: () => void;
  readonly onStep: (step: number) => void;
}

/** All details of a request. */
export function RequestPanel({ id, onClose, onStep }: RequestPanelProps) {
  const { value: row, error, again } = useAnswer<RequestDetails>(`/requests/${id}`);
  return (
    <SidePanel title={`Request ${id}`} onClose={onClose} onStep={onStep}>
      <Problem error={error} onRetry={again} />
      {row !== undefined && <Request row={row} />}
    </SidePanel>
  );
}

function Request({ row }: { readonly row: RequestDetails }) {
  const { error, fault, events, repeated } = row;
  return (
    <>
      {error !== null && (
        <section class="request-reason" aria-label="Why">
          <p class="problem">{error.message}</p>
          <dl class="facts">
            <Fact name="Code">
              <code>{error.code}</code>
            </Fact>
            {error.field !== undefined && (
              <Fact name="Field">
                <code>{error.field}</code>
              </Fact>
            )}
          </dl>
        </section>
      )}
      {fault !== null && (
        <p class="notice">
          <strong>A fault acted on it:</strong> {fault}
        </p>
      )}
      <dl class="facts">
        <Fact name="Answer">
          <span class={`badge number ${tone(row)}`}>{statusText(row)}</span>{' '}
          {row.status === null && missingAnswer(row)}
        </Fact>
        <Fact name="What">{purpose(row)}</Fact>
        <Fact name="Request">
          <code>
            {row.method} {row.path}
          </code>
        </Fact>
        <Fact name="Received">
          <Time value={row.receivedAt} />
        </Fact>
        <Fact name="Took">{formatDuration(row.durationMs)}</Fact>
        <Fact name="Body">{formatBytes(row.bytes)}</Fact>
        <Fact name="API key">{row.keyName ?? <span class="muted">none that is valid</span>}</Fact>
        <Fact name="User agent">{row.userAgent ?? <span class="muted">not told</span>}</Fact>
        {events !== null && (
          <Fact name="Events">
            {formatCount(events)}
            {repeated !== null && repeated > 0 && `, ${formatCount(repeated)} of them known by their uuid`}
          </Fact>
        )}
      </dl>
      {row.isRepeatable && <SendAgain id={row.id} />}
      <Content content={row.content} />
      <RequestEvents row={row} />
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

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
