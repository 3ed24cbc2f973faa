import { redactor } from '@sluice/protocol/toolbox';
import type { Platform } from './platform.ts';

/** A page. */
export const platform: Platform = {
  // The global fetch of that moment, so that a mock or a wrapper that is set later is used.
  fetch: (url, request) => globalThis.fetch(url, request),
  redactor,
  // A page's fetch says in one text why it failed.
  redactedError: (error, redact) => new Error(redact(`${error}`)),
  onAbort(signal, callback) {
    signal.addEventListener('abort', callback);
    return () => signal.removeEventListener('abort', callback);
  },
  parts: {},
  reasonOf: (cause) => cause.message,
};
