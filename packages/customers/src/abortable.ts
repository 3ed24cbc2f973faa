import { platform } from '#platform';

/**
 * Settles as the work does, or rejects with the signal's reason as soon as the signal aborts. The work itself goes on.
 *
 * @param leave Called if the signal aborts first.
 */
export function abortable<T>(work: Promise<T>, signal?: AbortSignal, leave?: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      leave?.();
      reject(signal?.reason);
    };
    // The start of the work may have aborted it.
    if (signal?.aborted) abort();
    work.then(resolve, reject).finally(signal && platform.onAbort(signal, abort));
  });
}
