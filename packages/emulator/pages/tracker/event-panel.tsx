import type { RequestRow, TrackerEvent, TrackerRow } from '../../src/admin/contract.ts';
import { CopyButton } from '../parts/copy.tsx';
import { Problem } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { memberText } from '../parts/json-text.ts';
import { JsonView } from '../parts/json-view.tsx';
import { SidePanel } from '../parts/side-panel.tsx';
import { formatDuration, formatSome, shownText, Time } from '../parts/text.tsx';
import { useAnswer } from '../shell/asking.ts';
import { status } from '../shell/live.ts';
import { link } from '../shell/route.ts';
import type { Rows } from '../shell/rows.ts';

const NO_UUID = <span class="muted">none: the emulator stores it each time it arrives</span>;
const NO_REQUEST = <span class="muted">no longer kept</span>;

/** An event, with all its details. */
export function EventPanel({ id, rows }: { readonly id: number; readonly rows: Rows<TrackerRow> }) {
  const { value: event, error, again } = useAnswer<TrackerEvent>(`/tracker/${id}`);
  return (
    <SidePanel title={event === undefined ? `Event ${id}` : shownText(event.name)} rows={rows}>
      <Problem error={error} onRetry={again} />
      {event && <Body event={event} />}
    </SidePanel>
  );
}

function Body({ event }: { readonly event: TrackerEvent }) {
  const { id, correlationValue: value, deliveries, request, uuid } = event;
  const payload = memberText(event.text, 'payload');
  const timestamp = memberText(event.text, 'timestamp');
  const copyUuid = uuid !== null && <CopyButton key="copy" text={uuid} label="Copy uuid" />;
  return (
    <>
      {!event.attributed && (
        <p class="notice">
          <strong>Not attributed.</strong> No customer has <code>{shownText(value)}</code> as{' '}
          {status.value?.primaryKey ?? 'primary key'}. The emulator keeps the event. When there is such a
          customer, the event will belong to it. <a href={link(['audience'], { value })}>Add the customer</a>
        </p>
      )}
      <Facts
        of={[
          ['Received', <Time key="received" value={event.receivedAt} />],
          ['Timestamp', timestamp && <Time key="timestamp" value={JSON.parse(timestamp)} />],
          ['Customer', <Owner key="customer" event={event} />],
          ['Source', shownText(event.source)],
          ['uuid', uuid === null ? NO_UUID : [<code key="uuid">{uuid}</code>, ' ', copyUuid]],
          ['Request', request === null ? NO_REQUEST : <Request key="request" row={request} />],
        ]}
      />
      {deliveries > 1 && (
        <section class="stack">
          <h3>{`Received ${formatSome(deliveries, 'time')}, stored once`}</h3>
          <ul class="bullets">
            {event.repeats.map(({ receivedAt, requestId }) => (
              <li key={`${requestId} ${receivedAt}`}>
                <Time value={receivedAt} /> <RequestLink id={requestId} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <section class="stack">
        <div class="row">
          <h3 class="grow">Payload</h3>
          {payload !== undefined && <CopyButton text={payload} label="Copy payload" />}
        </div>
        {payload === undefined ? (
          <p class="muted">The event has no payload.</p>
        ) : (
          <JsonView key={id} text={payload} />
        )}
      </section>
      <details class="muted">
        <summary>The whole event, as received</summary>
        <div class="row">
          <span class="grow">{formatSome(event.text.length, 'character')}</span>
          <CopyButton text={event.text} label="Copy the event as it came" />
        </div>
        <JsonView key={id} text={event.text} />
      </details>
    </>
  );
}

function Owner({ event: { correlationValue: value, customer } }: { readonly event: TrackerEvent }) {
  return (
    <>
      <a href={link(['audience'], { value })}>{shownText(value)}</a>{' '}
      {customer && <bdi class="muted">{fullName(customer)}</bdi>}
      <br />
      <a class="small-text" href={link(['tracker'], { correlationValue: value })}>
        All events of this customer
      </a>
    </>
  );
}

function RequestLink({ id }: { readonly id: number }) {
  return <a href={link(['requests', String(id)])}>{`request ${id}`}</a>;
}

function Request({ row: { id, status, durationMs, events, keyName } }: { readonly row: RequestRow }) {
  const words = [
    status ?? 'cut',
    formatDuration(durationMs),
    events !== null && formatSome(events, 'event'),
    keyName !== null && `key ${keyName}`,
  ];
  return (
    <>
      <RequestLink id={id} /> <span class="muted">{words.filter(Boolean).join(' · ')}</span>
    </>
  );
}

function fullName(customer: Readonly<Record<string, unknown>>): string {
  const parts = ['first_name', 'last_name'].map((name) => customer[name]);
  return parts.filter((part) => typeof part === 'string').join(' ');
}
