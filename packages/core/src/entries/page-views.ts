/** Tracks page views. Functions beside the tracker, not stages of it: all that they need is `track()`. */
import { type Clock, systemClock } from '@sluice/protocol/toolbox';
import { DEVICE_TIME, type TrackOptions } from '../accept/event-text.ts';

/** Routers set the title after they changed the address. A title that is the same for so long was right from the start. */
const TITLE_MS = 1_000;
/** Why a view ends: the next one begins, whose title may be there already, as with React. */
const NEXT = 1;

/** A tracker with any events. */
interface ViewTracker {
  track(name: string, payload: object, options: TrackOptions): void;
}

/** The views of one tracker. */
interface Views {
  /** Tracks a view of a path, unless it is the last one. */
  see(path: string): void;
  /** Waits for no title any more, unless somebody still shows a view. */
  rest(): void;
  /** Tracks a view of each address, until the returned function is called. */
  watch(): () => void;
}

/** By tracker: two components that ask for the views of one tracker count each view once. */
const allViews = new WeakMap<object, Views>();

/**
 * Tracks an event `page_view` for the page that is open, and for each address that it shows later: after `pushState` or
 * `replaceState`, after a change of the hash, after back and forward, and when it comes back from the browser's back/forward cache.
 * A page that the browser prerenders counts when it is shown. The same address again is no new view.
 *
 * The payload has `title`, `path` (with query and hash) and `referrer`: the path before, or `document.referrer` for the first view.
 * The event has the time at which the address changed. It is tracked once the title changes, but no later than after a second,
 * at the next view, before `identify()` and `reset()`, or when the page is hidden or left.
 *
 * If it is called twice for one tracker, each view counts once. Without a document, as on a server, it does nothing.
 *
 * @param tracker Anything with a tracker's `track()`.
 * @param clock For tests. Default: the clock of the system.
 * @returns Stops this. Each call of `pageViews` has its own; the last one undoes everything.
 * @example
 * const stop = pageViews(tracker);
 */
export function pageViews(tracker: ViewTracker, clock: Clock = systemClock): () => void {
  return globalThis.document ? (allViews.get(tracker) ?? createViews(tracker, clock)).watch() : () => {};
}

function createViews(tracker: ViewTracker, clock: Clock): Views {
  /** Those who asked for the views of each address. */
  const watchers = new Set<object>();
  let listening: AbortController | undefined;
  /** Its abort tracks the last view. */
  let waiting: AbortController | undefined;
  /** The path of the last view. It is kept while nobody listens: with StrictMode, React stops and starts again. */
  let shown: string | undefined;

  function listen(): void {
    listening = new AbortController();
    const { signal } = listening;
    const look = () => signal.aborted || see();
    watchAddress(look, signal);
    onReturn(look, signal);
    addEventListener('prerenderingchange', look, { signal, capture: true });
    see();
  }

  function see(path: string = location.pathname + location.search + location.hash): void {
    const { prerendering, title } = document as Document & { readonly prerendering?: boolean };
    if (prerendering || path === shown) return;
    waiting?.abort(NEXT);
    const referrer = shown ?? document.referrer;
    const time = clock.now();
    shown = path;
    waiting = new AbortController();
    const { signal } = waiting;
    const titles = new MutationObserver(() => document.title !== title && settle());
    titles.observe(document.head, { childList: true, characterData: true, subtree: true });
    const timer = clock.setTimeout(settle, TITLE_MS);
    // Before the tracker's own listeners: what is tracked here is sent with the rest.
    addEventListener('visibilitychange', settle, { signal, capture: true });
    addEventListener('pagehide', settle, { signal, capture: true });
    // The view belongs to the customer who saw it.
    wrap(tracker as object as Methods, ['identify', 'reset'], settle, signal);
    signal.addEventListener('abort', () => {
      titles.disconnect();
      timer.cancel();
      const named = signal.reason === NEXT ? title : document.title;
      tracker.track('page_view', { title: named, path, referrer }, { [DEVICE_TIME]: time });
    });
  }

  function settle(): void {
    waiting?.abort();
  }

  function watch(): () => void {
    const watcher = {};
    watchers.add(watcher);
    if (watchers.size === 1) listen();
    return () => {
      watchers.delete(watcher);
      if (watchers.size) return;
      listening?.abort();
      // Not yet if somebody starts again at once: the title may come later.
      queueMicrotask(rest);
    };
  }

  function rest(): void {
    if (watchers.size === 0 && ![...routes].some((route) => route.views === views)) settle();
  }

  // A view of the same address, and without a referrer. Before those who look then.
  onReturn(() => {
    shown = '';
  });
  const views: Views = { watch, see, rest };
  allViews.set(tracker, views);
  return views;
}

/** The paths that components show, by the names of a router. */
const routes = new Set<{ readonly views: Views; readonly path: string; isOver?: true }>();

/**
 * Internal, for `@sluice/react`: tracks a view as `pageViews` does, of a path that a router names. Components that show one path at
 * the same time count it once. Without a document, as in React Native, it waits for no title.
 *
 * @returns Ends this: the component no longer shows the path.
 */
export function routedView(tracker: ViewTracker, path: string, clock: Clock = systemClock): () => void {
  const create = globalThis.document ? createViews : createNativeViews;
  const views = allViews.get(tracker) ?? create(tracker, clock);
  const shown = () => [...routes].filter((route) => route.views === views);
  const isShown = shown().some((route) => route.path === path);
  const route: ReturnType<typeof shown>[number] = { views, path };
  const ended = shown().filter(({ isOver }) => isOver);
  routes.add(route);
  const ending = new AbortController();
  const { signal } = ending;
  const look = () => shown().find((one) => one.path === path) === route && views.see(path);
  if (globalThis.document) {
    document.addEventListener('prerenderingchange', look, { signal });
    onReturn(look, signal);
  }
  if (!isShown) views.see(path);
  return () => {
    ending.abort();
    route.isOver = true;
    // A router may come back at once, as from a page that needs a sign-in: that is another view.
    for (const before of ended) routes.delete(before);
    // Not yet if a component shows a path at once, as with StrictMode: the title may come later.
    queueMicrotask(() => {
      routes.delete(route);
      views.rest();
    });
  };
}

function createNativeViews(tracker: ViewTracker): Views {
  let last: string | undefined;
  const views = {
    see(path: string) {
      if (path === last) return;
      tracker.track('page_view', { path, referrer: last }, {});
      last = path;
    },
    rest() {},
    watch: () => () => {},
  };
  allViews.set(tracker, views);
  return views;
}

/** The Navigation API, as far as it is used here. */
interface Navigation {
  readonly navigation?: EventTarget & { readonly currentEntry: unknown };
}

/**
 * Calls back when the page may have changed its address without a new document, until the signal aborts.
 *
 * Where there is no Navigation API, it replaces `history.pushState` and `replaceState`. Other code may do the same: if it came
 * later, our functions stay in its chain when we stop, and do nothing but pass the call on.
 */
function watchAddress(onChange: () => void, signal: AbortSignal): void {
  const { navigation } = globalThis as Navigation;
  // In a document without an origin, as in a sandbox, it has no entries and tells nothing.
  if (navigation?.currentEntry) {
    navigation.addEventListener('currententrychange', onChange, { signal });
    return;
  }
  addEventListener('popstate', onChange, { signal });
  addEventListener('hashchange', onChange, { signal });
  wrap(history as object as Methods, ['pushState', 'replaceState'], onChange, signal);
}

/** Calls back when the page comes back from the back/forward cache. */
function onReturn(callback: () => void, signal?: AbortSignal): void {
  addEventListener('pageshow', ({ persisted }) => persisted && callback(), signal && { signal });
}

type Methods = Record<string, ((...args: unknown[]) => unknown) | undefined>;

/**
 * Calls back before and after each call of these methods, as far as there are any. Once the signal aborts, puts back what was there,
 * unless somebody else replaced it.
 */
function wrap(target: Methods, names: readonly string[], onCall: () => void, signal: AbortSignal): void {
  for (const name of names) {
    const inner = target[name];
    const before = Object.getOwnPropertyDescriptor(target, name);
    if (!inner) continue;
    const outer = (...args: unknown[]) => {
      onCall();
      const result = inner.apply(target, args);
      onCall();
      return result;
    };
    // It may be frozen.
    Reflect.set(target, name, outer);
    signal.addEventListener('abort', () => {
      if (target[name] !== outer) return;
      if (before) Object.defineProperty(target, name, before);
      else Reflect.deleteProperty(target, name);
    });
  }
}
