import { createTracker } from '@sluice/core';
import { createElement } from 'react';
import { expect, it } from 'vitest';
import { TrackerProvider, useTrack, useTracker } from '../src/index.ts';

interface Events {
  readonly purchase: { readonly total: number };
  readonly signed_out: undefined;
}

/** Never rendered: the compiler checks it, and `npm run check` runs the compiler. */
function Shop() {
  const track = useTrack<Events>();
  track('purchase', { total: 42.5 });
  track('signed_out');
  // @ts-expect-error the name is not declared
  track('purchse', { total: 42.5 });
  // @ts-expect-error the field has another type
  track('purchase', { total: '42.5' });
  const tracker = useTracker<Events>();
  tracker.for('ada@example.com').track('purchase', { total: 42.5 });
  // @ts-expect-error the payload is required
  tracker.track('purchase');
  const trackAny = useTrack();
  trackAny('any', { text: 'x' });
  return null;
}

it('a provider takes a tracker of any events, and the hooks give the types of those that are named', () => {
  const options = { baseUrl: 'http://a.example', correlationKey: 'email', enabled: false };
  createElement(TrackerProvider, { tracker: createTracker<Events>(options) }, createElement(Shop));
  createElement(TrackerProvider, { tracker: createTracker({ ...options, bigint: 'string' }) });
  createElement(TrackerProvider, { tracker: createTracker(options) });
  // @ts-expect-error it is no tracker
  createElement(TrackerProvider, { tracker: { track() {} } });
  expect(Shop).toBeTypeOf('function');
});
