import { Refusal } from './refusal.ts';
import type { ApiKeyStore } from './storage/api-key-store.ts';

const PREFIX = 'Api-Key ';
const FORM = 'Authorization must be "Api-Key <API_KEY>"';

/** The id of the API key that an `Authorization` header carries (section 5). Throws {@link Refusal} where none is valid. */
export function authenticate(header: string | undefined, keys: ApiKeyStore): number {
  if (header === undefined) throw refuse('missing_api_key', `${FORM}; the header is missing.`);
  if (!header.startsWith(PREFIX) || header.length === PREFIX.length) {
    // What came instead stays out of the answer: it may well be a key.
    throw refuse('malformed_authorization', `${FORM}; it has another form.`);
  }
  const id = keys.use(header.slice(PREFIX.length));
  if (id !== undefined) return id;
  throw new Refusal('unknown_api_key', 'The API key is not one of this emulator, or it was revoked.');
}

function refuse(code: 'missing_api_key' | 'malformed_authorization', message: string): Refusal {
  return new Refusal(code, message, { headers: { 'www-authenticate': 'Api-Key' } });
}
