import { atLastMoment } from '../../src/platform/process/last-moment.ts';

type Callback = (isFinal: boolean) => void;

/** By this name, all copies of the package share who listens to the end of the process. */
const SHARED = Symbol.for('@sluice/core last moment');

/**
 * Calls `create`. The trackers that it creates take `end` for the end of the process, and the real end does not reach them.
 * `end(false)` stands for a signal, which the process may survive.
 */
export function createMortal<Made>(create: () => Made): { readonly made: Made; readonly end: Callback } {
  const callbacks = new Set<Callback>();
  const add = (callback: Callback): (() => void) => {
    callbacks.add(callback);
    return () => callbacks.delete(callback);
  };
  // Now the shared object exists.
  atLastMoment(() => {})();
  const shared = Reflect.get(process, SHARED);
  Object.defineProperty(shared, 'add', { configurable: true, value: add });
  try {
    const end = (isFinal: boolean) => {
      for (const callback of callbacks) callback(isFinal);
    };
    return { made: create(), end };
  } finally {
    Reflect.deleteProperty(shared, 'add');
  }
}
