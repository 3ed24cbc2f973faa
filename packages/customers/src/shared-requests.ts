import { abortable } from './abortable.ts';

/** A request that reads share. */
interface SharedRequest {
  readonly answer: Promise<string>;
  /** Aborts the request if it is not over. The next read of the key then starts a new request. */
  readonly end: () => void;
  waiting: number;
}

/** The requests in progress, by key. A read of a key whose request was removed starts a new one; the others wait on. */
export type Requests = Map<string, SharedRequest>;

/**
 * Returns a function that waits for the answer for a key. Callers that ask for the same key at the same time share one request. It
 * is aborted when the last caller leaves. The promise of a caller rejects with the signal's reason as soon as the signal aborts.
 *
 * @param keep Called with each answer, before the callers get it, unless its request was removed.
 */
export function sharedRequests(
  start: (key: string, signal: AbortSignal) => Promise<string>,
  requests: Requests,
  keep?: (key: string, answer: string) => void,
): (key: string, signal: AbortSignal | undefined) => Promise<string> {
  const begin = (key: string): SharedRequest => {
    const controller = new AbortController();
    const isCurrent = () => requests.get(key) === request;
    const end = () => {
      controller.abort();
      if (isCurrent()) requests.delete(key);
    };
    const request: SharedRequest = { answer: start(key, controller.signal), end, waiting: 0 };
    requests.set(key, request);
    request.answer
      .then((answer) => {
        if (isCurrent()) keep?.(key, answer);
      })
      .then(end, end);
    return request;
  };
  return (key, signal) => {
    const request = requests.get(key) ?? begin(key);
    request.waiting += 1;
    return abortable(request.answer, signal, () => {
      request.waiting -= 1;
      if (request.waiting === 0) request.end();
    });
  };
}
