import type { Fetch } from './fetch.ts';

/** The global fetch, looked up when it is called, so that one set later (a mock, a wrapper) is the one used. */
export const platformFetch: Fetch = (url, request) => globalThis.fetch(url, request);
