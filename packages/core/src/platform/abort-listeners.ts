import { attempt } from '../base/user-code.ts';

/** All callbacks for one signal of the user, as a single listener: Node warns of more than ten. */
class Listeners extends Set<() => void> implements EventListenerObject {
  handleEvent(): void {
    for (const callback of this) callback();
  }
}

const bySignal = new WeakMap<AbortSignal, Listeners>();

/** Calls `callback` when a signal aborts, unless another one aborts before. */
export function onAbort(signal: AbortSignal, callback: () => void, until: AbortSignal): void {
  const listeners = bySignal.get(signal) ?? new Listeners();
  bySignal.set(signal, listeners);
  if (listeners.size === 0) signal.addEventListener('abort', listeners);
  listeners.add(callback);
  until.addEventListener('abort', () => {
    listeners.delete(callback);
    // The user's own signal may throw.
    if (listeners.size === 0)
      attempt(
        () => signal.removeEventListener('abort', listeners),
        () => {},
      );
  });
}
