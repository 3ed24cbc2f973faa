import { type Redact, thoroughRedactor } from '@sluice/protocol/toolbox';
// By its file: Bun has a stub in place of the module, which makes no requests.
import { fetch as undiciFetch } from 'undici/index.js';
import type { Fetch } from './fetch.ts';

/** undici's fetch, with undici's global dispatcher, which a user may set. Idle sockets do not keep a process alive. */
export const platformFetch: Fetch = (url, request) => undiciFetch(url, request);

/** Makes a function that removes the API key from texts. */
export const platformRedactor: (secret: string) => Redact = thoroughRedactor;
