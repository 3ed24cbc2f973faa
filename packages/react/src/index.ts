'use client';

import type { AnyEvents, Tracker } from '@sluice/core';
import { pageViews, routedView } from '@sluice/core/page-views';
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
} from 'react';

/** A tracker, whatever events it declares. */
type AnyTracker = Omit<Tracker, 'track' | 'for'> & Readonly<Record<'track' | 'for', unknown>>;

const TrackerContext = createContext<AnyTracker | undefined>(undefined);

/**
 * Gives the components in it a tracker. Make the tracker once, outside of components. This does not close it: it lives as long as
 * the page. A provider in another one replaces the tracker for the components in it.
 *
 * @example
 * const tracker = createTracker({ baseUrl, correlationKey: 'email' });
 * root.render(<TrackerProvider tracker={tracker}><App /></TrackerProvider>);
 */
export function TrackerProvider(props: {
  readonly tracker: AnyTracker;
  readonly children?: ReactNode;
}): ReactElement {
  return createElement(TrackerContext.Provider, { value: props.tracker }, props.children);
}

/**
 * The tracker of the nearest provider: for `identify()`, `reset()`, `setConsent()`, `stats()`. Name the type of your events, as for
 * `createTracker`: nothing checks that the tracker of the provider has it.
 *
 * @throws An Error if there is no provider.
 * @example
 * const tracker = useTracker();
 * useEffect(() => tracker.identify(user.email), [tracker, user.email]);
 */
export function useTracker<Events extends object = AnyEvents>(): Tracker<Events> {
  const tracker = useContext(TrackerContext);
  if (tracker === undefined) {
    throw new Error(
      'useTracker() found no tracker: put <TrackerProvider tracker={tracker}> around the application',
    );
  }
  // The caller says which events it declares.
  return tracker as Tracker<Events>;
}

/**
 * `track()` of the nearest provider's tracker. It is the same function in each render, and never causes one. Name the type of your
 * events as for `useTracker`.
 *
 * @throws An Error if there is no provider.
 * @example
 * const track = useTrack<Events>();
 * <button onClick={() => track('purchase', { total: 42.5 })}>Buy</button>
 */
export function useTrack<Events extends object = AnyEvents>(): Tracker<Events>['track'] {
  return useTracker<Events>().track;
}

/**
 * Tracks an event `page_view` for each page that the application shows. Call it in one component that stays, such as the layout. On
 * a server it does nothing.
 *
 * @param path The path that your router shows, if the address alone does not tell. `null` means that it is not known yet: then this
 * tracks nothing. Default: Sluice watches the address, as `pageViews` of `@sluice/core/page-views`. A view has the same fields and
 * time either way. Without a document, as in React Native, it has no title, and the first one no referrer.
 * @throws An Error if there is no provider.
 * @example
 * usePageViews(useLocation().pathname);
 */
export function usePageViews(path?: string | null): void {
  const tracker = useTracker();
  useEffect(() => {
    if (path === null) return undefined;
    return path === undefined ? pageViews(tracker) : routedView(tracker, path);
  }, [tracker, path]);
}
