// @ts-check
import { createTracker } from '@sluice/core';
import { TrackerProvider, usePageViews, useTrack } from '@sluice/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

// A page has no key: its own origin adds it (vite.config.js).
const options = { baseUrl: location.origin, correlationKey: 'email' };
const tracker = createTracker(options);
// What a sign-in tells the page.
tracker.identify('ada@example.com');
const widgetTracker = createTracker({ ...options, source: 'widget' });
widgetTracker.identify('ada@example.com');

function Shop() {
  usePageViews();
  return (
    <main>
      <h1>Shop</h1>
      <Buy sku="A-1" />
      <button type="button" onClick={() => history.pushState(null, '', '/cart')}>
        Go to the cart
      </button>
      <TrackerProvider tracker={widgetTracker}>
        <Buy sku="B-2" />
      </TrackerProvider>
    </main>
  );
}

/** @param {{ sku: string }} props */
function Buy({ sku }) {
  const track = useTrack();
  return (
    <button type="button" onClick={() => track('purchase', { sku })}>
      Buy {sku}
    </button>
  );
}

createRoot(/** @type {Element} */ (document.querySelector('#root'))).render(
  <StrictMode>
    <TrackerProvider tracker={tracker}>
      <Shop />
    </TrackerProvider>
  </StrictMode>,
);
