// The script of each page of the site: a tracker of whoever is signed in, which tests use.
import { createTracker, type Tracker } from '@sluice/core';

declare global {
  var tracker: Tracker;
}

globalThis.tracker = createTracker({ relay: '/s', correlationKey: 'email' });
const { customer } = document.documentElement.dataset;
if (customer) tracker.identify(customer);
tracker.track('page_view', { path: location.pathname });
