import type { Fetch } from './fetch.ts';

/** Calls the global fetch of that moment, so that a mock or a wrapper that is set later is used. */
export const platformFetch: Fetch = (url, request) => globalThis.fetch(url, request);
