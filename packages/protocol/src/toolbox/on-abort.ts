/** All callbacks for one signal, as a single listener. */
class AbortListeners extends Set<() => void> implements EventListenerObject {
  handleEvent(): void {
    for (const callback of this) callback();
  }
}

const abortListeners = new WeakMap<AbortSignal, AbortListeners>();

/** Calls back when a signal of the user aborts, until the returned function is called. Node warns of more than ten listeners. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const listeners = abortListeners.get(signal) ?? new AbortListeners();
  abortListeners.set(signal, listeners);
  if (listeners.size === 0) signal.addEventListener('abort', listeners);
  listeners.add(callback);
  return () => {
    listeners.delete(callback);
    if (listeners.size === 0) signal.removeEventListener('abort', listeners);
  };
}
