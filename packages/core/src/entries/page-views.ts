/** Tracks page views. A function beside the tracker, not a stage of it: all that it needs is `track()`. */
import { type Clock, systemClock } from '@sluice/protocol/toolbox';
import type { TrackOptions } from '../accept/event-text.ts';
import { Alarm } from '../base/alarm.ts';

/** Routers set the title after they changed the address. A title that is the same for so long was right from the start. */
const TITLE_MS = 1_000;

/** A tracker with any events. */
interface ViewTracker {
  track(name: string, payload: object, options: TrackOptions): void;
}

/** What tracks the views, by tracker: two components that ask for the views of one tracker count each view once. */
const watches = new WeakMap<object, () => () => void>();

/**
 * Tracks an event `page_view` for the page that is open, and for each address that it shows later: after `pushState` or
 * `replaceState`, after a change of the hash, after back and forward, and when it comes back from the browser's back/forward cache.
 * A page that the browser prerenders counts when it is shown. The same address again is no new view.
 *
 * The payload has `title`, `path` (with query and hash) and `referrer`: the path before, or `document.referrer` for the first view.
 * The event has the time at which the address changed. It is tracked once the title changes, but no later than after a second,
 * at the next view, or when the page is hidden or left.
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
  if (!globalThis.document) return () => {};
  const watch = watches.get(tracker) ?? createWatch(tracker, clock);
  watches.set(tracker, watch);
  return watch();
}

/** Tracks the views for all who asked for those of one tracker. */
function createWatch(tracker: ViewTracker, clock: Clock): () => () => void {
  const watchers = new Set<object>();
  const titles = new MutationObserver(() => {
    if (document.title !== title) settle();
  });
  const alarm = new Alarm(clock, settle);
  let listening = new AbortController();
  /** The last view. It is kept while nobody listens: with StrictMode, React stops and starts again. */
  let shown: string | undefined;
  let title = '';
  /** Tracks the last view, whose title may not be known yet. */
  let track: (() => void) | undefined;

  function listen(): void {
    listening = new AbortController();
    const { signal } = listening;
    watchAddress(() => see(), signal);
    // Before the tracker's own listeners: what is tracked here is sent with the rest.
    document.addEventListener('visibilitychange', settle, { signal });
    addEventListener('pagehide', settle, { signal, capture: true });
    addEventListener('pageshow', ({ persisted }) => persisted && see(true), { signal });
    document.addEventListener('prerenderingchange', () => see(), { signal });
    see();
  }

  /** @param isShownAgain Whether this is a view even if the address is the same. */
  function see(isShownAgain = false): void {
    const { prerendering } = document as { prerendering?: boolean };
    const { pathname, search, hash } = location;
    const path = pathname + search + hash;
    if (prerendering || (path === shown && !isShownAgain)) return;
    settle();
    const referrer = isShownAgain ? '' : (shown ?? document.referrer);
    const timestamp = clock.now();
    shown = path;
    title = document.title;
    track = () => tracker.track('page_view', { title: document.title, path, referrer }, { timestamp });
    titles.observe(document.head, { childList: true, characterData: true, subtree: true });
    alarm.set(TITLE_MS);
  }

  function settle(): void {
    titles.disconnect();
    alarm.cancel();
    track?.();
    track = undefined;
  }

  return () => {
    const watcher = {};
    watchers.add(watcher);
    if (watchers.size === 1) listen();
    return () => {
      if (!watchers.delete(watcher) || watchers.size > 0) return;
      listening.abort();
      // Not yet if somebody starts again at once: the title may come later.
      queueMicrotask(() => watchers.size === 0 && settle());
    };
  };
}

/** The Navigation API, as far as it is used here. */
interface Navigation {
  readonly navigation?: EventTarget & { readonly currentEntry: unknown };
}

type Method = 'pushState' | 'replaceState';

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
  wrap('pushState', onChange, signal);
  wrap('replaceState', onChange, signal);
}

/** Calls back after each call of a method. Once the signal aborts, puts back what was there, unless somebody else replaced it. */
function wrap(name: Method, onCall: () => void, signal: AbortSignal): void {
  const before = Object.getOwnPropertyDescriptor(history, name);
  const inner = history[name];
  const outer: History[Method] = function (this: History, ...args) {
    inner.apply(this, args);
    if (!signal.aborted) onCall();
  };
  history[name] = outer;
  signal.addEventListener('abort', () => {
    if (history[name] !== outer) return;
    if (before) Object.defineProperty(history, name, before);
    else Reflect.deleteProperty(history, name);
  });
}
