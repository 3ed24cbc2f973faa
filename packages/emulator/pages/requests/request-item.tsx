import type { RequestRow } from '../../src/admin/contract.ts';
import { formatBytes, formatDuration, formatSome } from '../parts/text/numbers.ts';
import { Time } from '../parts/text/time.tsx';
import { purpose, statusText, tone } from './request-words.ts';

interface RequestItemProps {
  readonly row: RequestRow;
  readonly href: string;
  readonly isOpen: boolean;
}

/** The heads of the columns. They are for the eye: each row says what it shows. */
export function RequestHead() {
  return (
    <div class="list-row request list-head muted" aria-hidden="true">
      <span>Status</span>
      <span>Request</span>
      <span class="request-why">Reason, or key and user agent</span>
      <span class="request-size">Size</span>
      <span class="request-size">Took</span>
      <span class="request-time">Received</span>
    </div>
  );
}

/** A request in the list. */
export function RequestItem({ row, href, isOpen }: RequestItemProps) {
  const { events, repeated, error, fault } = row;
  return (
    <a class="list-row request" href={href} aria-current={isOpen ? 'true' : undefined}>
      <span class={`badge number ${tone(row)}`}>{statusText(row)}</span>
      <span class="request-what cut">
        {purpose(row)}
        {events !== null && <span class="muted number"> · {formatSome(events, 'event')}</span>}
        {repeated !== null && repeated > 0 && <span class="muted"> ({repeated} known)</span>}
      </span>
      <span class="request-why cut">
        {fault !== null && <span class="badge warn">fault</span>}{' '}
        {error === null ? (
          <span class="muted">{fault ?? sender(row)}</span>
        ) : (
          <span class="request-error">{error.message}</span>
        )}
      </span>
      <span class="request-size muted number">{formatBytes(row.bytes)}</span>
      <span class="request-size muted number">{formatDuration(row.durationMs)}</span>
      <span class="request-time muted number">
        <Time value={row.receivedAt} />
      </span>
    </a>
  );
}

function sender({ keyName, userAgent }: RequestRow): string {
  return [keyName && `key ${keyName}`, userAgent].filter(Boolean).join(' · ');
}
