import { type Redact, redactor } from '@sluice/protocol/toolbox';
import type { Fetch } from './fetch.ts';

/** Calls the global fetch of that moment, so that a mock or a wrapper that is set later is used. */
export const platformFetch: Fetch = (url, request) => globalThis.fetch(url, request);

/** Makes a function that removes the API key from texts. */
export const platformRedactor: (secret: string) => Redact = redactor;
