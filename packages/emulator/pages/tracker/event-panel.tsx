import type { TrackerEvent } from '../../src/admin/contract.ts';
import { memberText } from '../../src/events/json-text.ts';
import { CopyButton } from '../parts/copy.tsx';
import { Facts } from '../parts/facts.tsx';
import { JsonView } from '../parts/json-view.tsx';
import { type PanelProps, SidePanel } from '../parts/side-panel.tsx';
import { formatSome, shownText, Time } from '../parts/text.tsx';
import { useAnswer } from '../shell/asking.ts';
import { status } from '../shell/live.ts';
import { link } from '../shell/route.ts';

/** An event, with all its details. */
export function EventPanel({ id, rows }: PanelProps) {
  const answer = useAnswer<TrackerEvent>(`/events/${id}`);
  const { value: event } = answer;
  return (
    <SidePanel title={event ? shownText(event.name) : `Event ${id}`} answer={answer} rows={rows}>
      {event && <Body event={event} />}
    </SidePanel>
  );
}

function Body({ event }: { readonly event: TrackerEvent }) {
  const { id, correlationValue: value, customer, deliveries, request, uuid } = event;
  const payload = memberText(event.text, 'payload');
  const timestamp = memberText(event.text, 'timestamp');
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
          [
            'Customer',
            <>
              <a href={link(['audience'], { value })}>{shownText(value)}</a>{' '}
              <bdi class="muted">
                {[customer?.first_name, customer?.last_name]
                  .filter((name) => typeof name === 'string')
                  .join(' ')}
              </bdi>
              <br />
              <a class="small" href={link(['tracker'], { correlationValue: value })}>
                All events of this customer
              </a>
            </>,
          ],
          ['Source', shownText(event.source)],
          [
            'uuid',
            uuid === null ? (
              <span class="muted">none: the emulator stores it each time it arrives</span>
            ) : (
              <>
                <code>{uuid}</code> <CopyButton text={uuid} label="Copy uuid" />
              </>
            ),
          ],
          ['Request', request === null ? 'no longer kept' : <RequestLink key="request" id={request.id} />],
        ]}
      />
      {deliveries > 1 && (
        <section>
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
      {payload === undefined ? (
        <p class="muted">The event has no payload.</p>
      ) : (
        <JsonView key={id} title="Payload" text={payload} />
      )}
      <details>
        <summary>The whole event, as received</summary>
        <JsonView key={id} title={formatSome(event.text.length, 'character')} text={event.text} />
      </details>
    </>
  );
}

function RequestLink({ id }: { readonly id: number }) {
  return <a href={link(['requests', String(id)])}>{`request ${id}`}</a>;
}
