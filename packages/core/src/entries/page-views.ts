/** Tracks page views. A function beside the tracker, not a stage of it: all that it needs is `track()`. */
import { type Clock, systemClock } from '@sluice/protocol/toolbox';
import type { TrackOptions } from '../accept/event-text.ts';
import { Alarm } from '../base/alarm.ts';

/** Routers set the title after they changed the address. A title that is the same for so long was right from the start. */
const TITLE_MS = 1_000;

/** A tracker, whatever events it declares. */
interface ViewTracker {
  track(name: string, payload: object, options: TrackOptions): void;
}

/** By tracker, so that two components that ask for the views of one tracker count each view once. */
const viewsOf = new WeakMap<object, Views>();

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
  const views = viewsOf.get(tracker) ?? new Views(tracker, clock);
  viewsOf.set(tracker, views);
  const user = {};
  views.add(user);
  return () => views.delete(user);
}

/** The views of one tracker, for all who asked for them. */
class Views {
  readonly #users = new Set<object>();
  readonly #tracker: ViewTracker;
  readonly #clock: Clock;
  readonly #alarm: Alarm;
  readonly #titles = new MutationObserver(() => {
    if (document.title !== this.#title) this.#settle();
  });
  #ignore: () => void = () => {};
  /** The last view. It is kept while nobody listens: with StrictMode, React stops and starts again. */
  #path: string | undefined;
  #title = '';
  /** Tracks the last view, whose title may not be known yet. */
  #pending: (() => void) | undefined;

  constructor(tracker: ViewTracker, clock: Clock) {
    this.#tracker = tracker;
    this.#clock = clock;
    this.#alarm = new Alarm(clock, () => this.#settle());
  }

  add(user: object): void {
    this.#users.add(user);
    if (this.#users.size === 1) this.#listen();
  }

  delete(user: object): void {
    if (!this.#users.delete(user) || this.#users.size > 0) return;
    this.#ignore();
    // Not yet if somebody starts again at once: the title may come later.
    queueMicrotask(() => this.#users.size === 0 && this.#settle());
  }

  #listen(): void {
    const stop = new AbortController();
    const { signal } = stop;
    const see = () => this.#see();
    const unwatch = watchAddress(see);
    this.#ignore = () => {
      unwatch();
      stop.abort();
    };
    const settle = () => this.#settle();
    // Before the tracker's own listeners: what is tracked here is sent with the rest.
    document.addEventListener('visibilitychange', settle, { signal });
    addEventListener('pagehide', settle, { signal, capture: true });
    addEventListener('pageshow', ({ persisted }) => persisted && this.#see(true), { signal });
    document.addEventListener('prerenderingchange', see, { signal });
    see();
  }

  /** @param isShownAgain Whether this is a view even if the address is the same. */
  #see(isShownAgain: boolean = false): void {
    const { prerendering } = document as { prerendering?: boolean };
    const { pathname, search, hash } = location;
    const path = pathname + search + hash;
    if (prerendering || (path === this.#path && !isShownAgain)) return;
    this.#settle();
    const referrer = isShownAgain ? '' : (this.#path ?? document.referrer);
    const timestamp = this.#clock.now();
    this.#path = path;
    this.#title = document.title;
    this.#pending = () =>
      this.#tracker.track('page_view', { title: document.title, path, referrer }, { timestamp });
    this.#titles.observe(document.head, { childList: true, characterData: true, subtree: true });
    this.#alarm.set(TITLE_MS);
  }

  #settle(): void {
    this.#titles.disconnect();
    this.#alarm.cancel();
    this.#pending?.();
    this.#pending = undefined;
  }
}

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
function watchAddress(onChange: () => void): () => void {
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
