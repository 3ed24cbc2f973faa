'use client';

import type { Tracker } from '@sluice/core';
import { pageViews } from '@sluice/core/page-views';
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
} from 'react';

const TrackerContext = createContext<Tracker | undefined>(undefined);

/** By tracker: the path of the last view that a router named. */
const lastPaths = new WeakMap<Tracker, string>();

/**
 * Gives the components in it a tracker. Make the tracker once, outside of components. This does not close it: it lives as long as
 * the page. A provider in another one replaces the tracker for the components in it.
 *
 * @example
 * const tracker = createTracker({ baseUrl, correlationKey: 'email' });
 * root.render(<TrackerProvider tracker={tracker}><App /></TrackerProvider>);
 */
export function TrackerProvider(props: {
  readonly tracker: Tracker;
  readonly children?: ReactNode;
}): ReactElement {
  return createElement(TrackerContext.Provider, { value: props.tracker }, props.children);
}

/**
 * The tracker of the nearest provider: for `identify()`, `reset()`, `setConsent()`, `stats()`.
 *
 * @throws An Error if there is no provider.
 * @example
 * const tracker = useTracker();
 * useEffect(() => tracker.identify(user.email), [tracker, user.email]);
 */
export function useTracker(): Tracker {
  const tracker = useContext(TrackerContext);
  if (tracker === undefined) {
    throw new Error(
      'useTracker() found no tracker: put <TrackerProvider tracker={tracker}> around the application',
    );
  }
  return tracker;
}

/**
 * `track()` of the nearest provider's tracker. It is the same function in each render, and never causes one.
 *
 * @throws An Error if there is no provider.
 * @example
 * const track = useTrack();
 * <button onClick={() => track('purchase', { total: 42.5 })}>Buy</button>
 */
export function useTrack(): Tracker['track'] {
  return useTracker().track;
}

/**
 * Tracks an event `page_view` for each page that the application shows. Call it in one component that stays, such as the layout. On
 * a server it does nothing.
 *
 * @param path The path that your router shows, if the address alone does not tell. Default: Sluice watches the address, as
 * `pageViews` of `@sluice/core/page-views`.
 * @throws An Error if there is no provider.
 * @example
 * usePageViews(useLocation().pathname);
 */
export function usePageViews(path?: string): void {
  const tracker = useTracker();
  useEffect(() => {
    if (path === undefined) return pageViews(tracker);
    const referrer = lastPaths.get(tracker);
    // With StrictMode, effects run twice.
    if (path === referrer) return undefined;
    lastPaths.set(tracker, path);
    const { title, referrer: site } = document;
    tracker.track('page_view', { title, path, referrer: referrer ?? site });
    return undefined;
  }, [tracker, path]);
}
