import { Refusal } from '../events/refusal.ts';
import type { ApiKeyStore } from '../storage/api-key-store.ts';

const PREFIX = 'Api-Key ';
const FORM = 'Authorization must be "Api-Key <API_KEY>"';

/** Returns the id of the API key in an `Authorization` header (section 5). Throws {@link Refusal} if there is no valid key. */
export function authenticate(header: string | undefined, keys: ApiKeyStore): number {
  if (header === undefined) throw refuse('missing_api_key', `${FORM}; the header is missing.`);
  if (!header.startsWith(PREFIX) || header.length === PREFIX.length) {
    // The answer does not repeat the header, because it may contain a key.
    throw refuse('malformed_authorization', `${FORM}; it has another form.`);
  }
  const id = keys.use(header.slice(PREFIX.length));
  if (id !== undefined) return id;
  throw new Refusal('unknown_api_key', 'The API key is not one of this emulator, or it was revoked.');
}

function refuse(code: 'missing_api_key' | 'malformed_authorization', message: string): Refusal {
  return new Refusal(code, message, { headers: { 'www-authenticate': 'Api-Key' } });
}
