'use client';

import { createTracker } from '@sluice/core';
import { TrackerProvider, usePageViews, useTrack } from '@sluice/react';

// Next.js renders these components on the server first. There, nothing is tracked.
const enabled = typeof window !== 'undefined';
const options = { enabled, relay: '/s', correlationKey: 'email' };
const [tracker, widgetTracker] = [createTracker(options), createTracker({ ...options, source: 'widget' })];
// What a sign-in tells the page.
for (const one of [tracker, widgetTracker]) one.identify('ada@example.com');

export function Tracking({ children }) {
  return (
    <TrackerProvider tracker={tracker}>
      <PageViews />
      {children}
    </TrackerProvider>
  );
}

export function Widget({ children }) {
  return <TrackerProvider tracker={widgetTracker}>{children}</TrackerProvider>;
}

function PageViews() {
  usePageViews();
  return null;
}

export function Buy({ sku }) {
  const track = useTrack();
  return (
    <button type="button" onClick={() => track('purchase', { sku })}>
      Buy {sku}
    </button>
  );
}
