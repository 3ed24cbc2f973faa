import { onAbort, plainHttpWarning, thoroughRedactor } from '@sluice/protocol/toolbox';
// By its file: Bun has a stub in place of the module, which makes no requests.
import { type Dispatcher, getGlobalDispatcher, fetch as undiciFetch } from 'undici/index.js';
import { concurrency } from '../concurrency.ts';
import { sharedRequests } from '../shared-requests.ts';
import { platform as edge } from './edge.ts';
import type { Platform } from './platform.ts';

// As it is at import: tests that replace it later do not stop what is under way.
const { setImmediate } = globalThis;

/** A process is warned once. */
let isWarned = false;

/**
 * Node: undici's fetch, with undici's global dispatcher, which a user may set. Idle sockets do not keep a process alive. Warns of a
 * key that goes unencrypted to another machine.
 */
export const platform: Platform = {
  ...edge,
  fetch(url, request) {
    if (!isWarned) warnOfPlainHttp(url, request.headers.authorization);
    return undiciFetch(url, { ...request, dispatcher: withoutTimeouts(getGlobalDispatcher()) });
  },
  redactor: thoroughRedactor,
  requests: sharedRequests,
  onAbort,
  parts: {
    ...edge.parts,
    // undici uses a connection again in the next turn of the event loop. A request in this turn would open another one.
    concurrency: (most) => concurrency(most, setImmediate),
  },
};

/** undici's time-outs are 300 s by default. The option `timeoutMs` may be longer, and ends each request. */
function withoutTimeouts(dispatcher: Dispatcher): Dispatcher {
  const dispatch: Dispatcher['dispatch'] = (options, handler) =>
    dispatcher.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
  return new Proxy(dispatcher, {
    get: (target, name) => (name === 'dispatch' ? dispatch : Reflect.get(target, name)),
  });
}

function warnOfPlainHttp(url: string, authorization: string | undefined): void {
  const message = plainHttpWarning(url, authorization?.replace('Api-Key ', ''));
  if (message === undefined) return;
  isWarned = true;
  process.emitWarning(message, { type: 'SluiceWarning', code: 'SLUICE_PLAIN_HTTP' });
}
