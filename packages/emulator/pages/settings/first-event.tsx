import type { KeyRows } from '../../src/admin/contract.ts';
import { Snippet } from '../parts/copy.tsx';
import { useAnswer } from '../shell/asking.ts';
import { status } from '../shell/live.ts';
import { snippets } from './snippets.ts';

/** How to send an event to this emulator. It waits for the key, so that the snippet does not change while one reads it. */
export function FirstEvent() {
  const { value, error } = useAnswer<KeyRows>('/keys');
  const { baseUrl = '', apiUrl = '', primaryKey } = status.value ?? {};
  const apiKey = value?.keys.findLast(({ revokedAt }) => revokedAt === null)?.key ?? 'API_KEY';
  const { send } = snippets('curl', { baseUrl, apiUrl, apiKey, primaryKey: primaryKey ?? 'email' });
  return value === undefined && error === undefined ? null : (
    <Snippet label="send an event with curl" text={send} />
  );
}
