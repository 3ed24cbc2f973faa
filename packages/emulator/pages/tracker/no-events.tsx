import type { KeyRow } from '../../src/admin/contract.ts';
import { Empty } from '../parts/empty.tsx';
import { Snippet } from '../parts/snippet.tsx';
import { useAnswer } from '../shell/answer.ts';
import { status } from '../shell/live.ts';
import { link } from '../shell/route.ts';

/** What to do while no event has arrived. */
export function NoEvents() {
  const { value, error } = useAnswer<{ readonly keys: readonly KeyRow[] }>('/keys');
  const key = value?.keys.find(({ revokedAt }) => revokedAt === null)?.key ?? 'YOUR_API_KEY';
  const { baseUrl = '', primaryKey = null } = status.value ?? {};
  return (
    <Empty title="No event has arrived yet">
      {primaryKey === null ? (
        <p>
          Events are refused until a primary key is selected: it says which attribute tells customers apart.{' '}
          <a href={link(['audience'])}>Select one in the audience section</a>, then send the first event:
        </p>
      ) : (
        <p>The list fills by itself as events arrive. To send the first one:</p>
      )}
      {(value !== undefined || error !== undefined) && (
        <Snippet label="send an event with curl" text={curl(baseUrl, key, primaryKey ?? 'email')} />
      )}
      <p class="muted">
        Nothing arrives though something is sent? <a href={link(['requests'])}>Requests</a> shows each one,
        and why it was refused. Snippets for Node and browsers are in{' '}
        <a href={link(['settings'])}>Settings</a>.
      </p>
    </Empty>
  );
}

function curl(baseUrl: string, key: string, primaryKey: string): string {
  const attribute = JSON.stringify(primaryKey).replaceAll("'", "'\\''");
  return `curl ${baseUrl}/api/events/batch/ \\
  -H 'Authorization: Api-Key ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"batch": [{
    "event": "purchase",
    "correlationKey": ${attribute}, "correlationValue": "ada@example.com",
    "source": "custom",
    "payload": {"total": 42.5, "sku": "A-1"}
  }]}'`;
}
