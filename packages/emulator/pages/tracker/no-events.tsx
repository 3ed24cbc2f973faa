import type { KeyRow } from '../../src/admin/contract.ts';
import { Snippet } from '../parts/copy.tsx';
import { Empty } from '../parts/dialog.tsx';
import { snippets } from '../settings/snippets.ts';
import { useAnswer } from '../shell/asking.ts';
import { status } from '../shell/live.ts';
import { link } from '../shell/route.ts';

/** What to do while no event has arrived. */
export function NoEvents() {
  const { value, error } = useAnswer<{ readonly keys: readonly KeyRow[] }>('/keys');
  const key = value?.keys.find(({ revokedAt }) => revokedAt === null)?.key ?? 'YOUR_API_KEY';
  const { baseUrl = '', apiUrl = '', primaryKey = null } = status.value ?? {};
  const { send } = snippets('curl', { baseUrl, apiUrl, apiKey: key, primaryKey: primaryKey ?? 'email' });
  return (
    <Empty title="No event has arrived yet">
      {primaryKey === null ? (
        <p>
          The emulator refuses events until you select a primary key: the attribute that identifies a
          customer. <a href={link(['audience'])}>Select one in the audience section</a>, then send the first
          event:
        </p>
      ) : (
        <p>The list fills by itself as events arrive. To send the first one:</p>
      )}
      {(value !== undefined || error !== undefined) && (
        <Snippet label="send an event with curl" text={send} />
      )}
      <p class="muted">
        Nothing arrives though something is sent? <a href={link(['requests'])}>Requests</a> shows each one,
        and why it was refused. Snippets for Node and browsers are in{' '}
        <a href={link(['settings'])}>Settings</a>.
      </p>
    </Empty>
  );
}
