// The script of each page of the site: a tracker of whoever is signed in, which tests use.
import { createTracker, type Tracker } from '@sluice/core';

declare global {
  var tracker: Tracker;
}

/** A test may ask that events wait until the page goes. */
const maxWaitMs = Number(new URLSearchParams(location.search).get('maxWaitMs') ?? 1_000);
globalThis.tracker = createTracker({ relay: '/s', correlationKey: 'email', batch: { maxWaitMs } });
const { customer } = document.documentElement.dataset;
if (customer) tracker.identify(customer);
tracker.track('page_view', { path: location.pathname });
