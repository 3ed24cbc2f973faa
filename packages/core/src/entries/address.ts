/** The Navigation API, as far as it is used here. */
interface Navigation {
  readonly navigation?: EventTarget;
}

type Method = 'pushState' | 'replaceState';

/**
 * Calls back when the page may have changed its address without a new document. Returns a function that stops this.
 *
 * Where there is no Navigation API, it replaces `history.pushState` and `replaceState`. Other code may do the same: if it came
 * later, our functions stay in its chain when we stop, and do nothing but pass the call on.
 */
export function watchAddress(onChange: () => void): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const { navigation } = globalThis as Navigation;
  if (navigation) {
    navigation.addEventListener('currententrychange', onChange, { signal });
    return () => stop.abort();
  }
  addEventListener('popstate', onChange, { signal });
  addEventListener('hashchange', onChange, { signal });
  const undo = (['pushState', 'replaceState'] as const).map((name) => wrap(name, onChange));
  return () => {
    stop.abort();
    for (const one of undo) one();
  };
}

/** Calls back after each call of a method. Returns a function that puts back what was there, unless somebody else replaced it. */
function wrap(name: Method, onCall: () => void): () => void {
  const before = Object.getOwnPropertyDescriptor(history, name);
  const inner = history[name];
  let isStopped = false;
  const outer: History[Method] = function (this: History, ...args) {
    inner.apply(this, args);
    if (!isStopped) onCall();
  };
  history[name] = outer;
  return () => {
    isStopped = true;
    if (history[name] !== outer) return;
    if (before) Object.defineProperty(history, name, before);
    else Reflect.deleteProperty(history, name);
  };
}
