/** All callbacks for one signal of the user, as a single listener: Node warns of more than ten. */
class Listeners extends Set<() => void> implements EventListenerObject {
  handleEvent(): void {
    for (const callback of this) callback();
  }
}

const bySignal = new WeakMap<AbortSignal, Listeners>();

/** Calls `callback` when a signal aborts. Returns a function that stops this. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const listeners = bySignal.get(signal) ?? new Listeners();
  bySignal.set(signal, listeners);
  if (listeners.size === 0) signal.addEventListener('abort', listeners);
  listeners.add(callback);
  return () => {
    listeners.delete(callback);
    if (listeners.size === 0) signal.removeEventListener('abort', listeners);
  };
}
