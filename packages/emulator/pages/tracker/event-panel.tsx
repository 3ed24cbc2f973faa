import type { RequestRow, TrackerEvent } from '../../src/admin/contract.ts';
import { CopyButton } from '../parts/dialogs/copy-button.tsx';
import { Problem } from '../parts/dialogs/problem.tsx';
import { SidePanel } from '../parts/side-panel.tsx';
import { memberText } from '../parts/text/json-text.ts';
import { JsonView } from '../parts/text/json-view.tsx';
import { formatDuration, formatSome } from '../parts/text/numbers.ts';
import { shownText } from '../parts/text/shown-text.ts';
import { Time } from '../parts/text/time.tsx';
import { useAnswer } from '../shell/asking/answer.ts';
import { status } from '../shell/live.ts';
import { link } from '../shell/route.ts';

interface EventPanelProps {
  readonly id: number;
  /** Ids of the events above and below it in the list. */
  readonly newerId: number | undefined;
  readonly olderId: number | undefined;
  /** Opens the event above or below. */
  readonly onStep: (id: number | undefined) => void;
  readonly onClose: () => void;
}

/** An event, with all its details. */
export function EventPanel({ id, newerId, olderId, onStep, onClose }: EventPanelProps) {
  const { value: event, error, again } = useAnswer<TrackerEvent>(`/tracker/${id}`);
  const step = (label: string, sign: string, to: number | undefined) => (
    <button
      type="button"
      class="quiet"
      aria-label={label}
      title={label}
      aria-disabled={to === undefined} // a disabled button would lose the focus
      onClick={() => onStep(to)}
    >
      {sign}
    </button>
  );
  const actions = (
    <>
      {step('Newer event', '↑', newerId)}
      {step('Older event', '↓', olderId)}
    </>
  );
  return (
    <SidePanel
      title={event === undefined ? `Event ${id}` : shownText(event.name)}
      actions={actions}
      onClose={onClose}
      onStep={(by) => onStep(by < 0 ? newerId : olderId)}
    >
      <Problem error={error} onRetry={again} />
      {event && <Body event={event} />}
    </SidePanel>
  );
}

function Body({ event }: { readonly event: TrackerEvent }) {
  const payload = memberText(event.text, 'payload');
  const timestamp = memberText(event.text, 'timestamp');
  return (
    <>
      {!event.attributed && <Unattributed value={event.correlationValue} />}
      <dl class="facts">
        <dt>Received</dt>
        <dd class="number">
          <Time value={event.receivedAt} />
        </dd>
        {timestamp && (
          <>
            <dt>Timestamp</dt>
            <dd class="number">
              <Time value={JSON.parse(timestamp)} />
            </dd>
          </>
        )}
        <dt>Customer</dt>
        <dd>
          <a href={link(['audience'], { value: event.correlationValue })}>
            {shownText(event.correlationValue)}
          </a>{' '}
          {event.customer && <bdi class="muted">{fullName(event.customer)}</bdi>}
          <div>
            <a class="more" href={link(['tracker'], { correlationValue: event.correlationValue })}>
              All events of this customer
            </a>
          </div>
        </dd>
        <dt>Source</dt>
        <dd>{shownText(event.source)}</dd>
        <dt>uuid</dt>
        <dd>
          {event.uuid === null ? (
            <span class="muted">none: the emulator stores it each time it arrives</span>
          ) : (
            <>
              <code>{event.uuid}</code> <CopyButton text={event.uuid} label="Copy uuid" />
            </>
          )}
        </dd>
        <dt>Request</dt>
        <dd>
          {event.request === null ? (
            <span class="muted">no longer kept</span>
          ) : (
            <RequestLink request={event.request} />
          )}
        </dd>
      </dl>
      {event.deliveries > 1 && <Repeats event={event} />}
      <section class="panel-section">
        <div class="section-head">
          <h3>Payload</h3>
          {payload !== undefined && <CopyButton text={payload} label="Copy payload" />}
        </div>
        {payload === undefined ? (
          <p class="muted">The event has no payload.</p>
        ) : (
          <JsonView key={event.id} text={payload} />
        )}
      </section>
      <details class="panel-section">
        <summary>The whole event, as received</summary>
        <div class="section-head">
          <span class="muted">{formatSome(event.text.length, 'character')}</span>
          <CopyButton text={event.text} label="Copy the event as it came" />
        </div>
        <JsonView key={event.id} text={event.text} />
      </details>
    </>
  );
}

function Unattributed({ value }: { readonly value: string }) {
  return (
    <p class="note">
      <strong>Not attributed.</strong> No customer has <code>{shownText(value)}</code> as{' '}
      {status.value?.primaryKey ?? 'primary key'}. The emulator keeps the event. When there is such a
      customer, the event will belong to it. <a href={link(['audience'], { value })}>Add the customer</a>
    </p>
  );
}

function Repeats({ event }: { readonly event: TrackerEvent }) {
  return (
    <section class="panel-section">
      <h3>{`Received ${formatSome(event.deliveries, 'time')}, stored once`}</h3>
      <ul class="repeats">
        {event.repeats.map(({ receivedAt, requestId }) => (
          <li key={`${requestId} ${receivedAt}`}>
            <Time value={receivedAt} />{' '}
            <a href={link(['requests', String(requestId)])}>{`request ${requestId}`}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function RequestLink({ request }: { readonly request: RequestRow }) {
  return (
    <>
      <a href={link(['requests', String(request.id)])}>{`request ${request.id}`}</a>{' '}
      <span class="muted">
        {`${request.status ?? 'cut'} · ${formatDuration(request.durationMs)}`}
        {request.events !== null && ` · ${formatSome(request.events, 'event')}`}
        {request.keyName !== null && ` · key ${request.keyName}`}
      </span>
    </>
  );
}

function fullName(customer: Readonly<Record<string, unknown>>): string {
  const parts = ['first_name', 'last_name'].map((name) => customer[name]);
  return parts.filter((part) => typeof part === 'string').join(' ');
}
