import { recordingTracker } from '@sluice/core/testing';
import { createElement, type ReactElement, StrictMode, useState } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../testing/patience.ts';
import { TrackerProvider, usePageViews, useTrack, useTracker } from '../src/index.ts';

const roots: Root[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) root.unmount();
});

function render(element: ReactElement, onUncaughtError?: (error: unknown) => void): HTMLElement {
  const place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place, onUncaughtError && { onUncaughtError });
  roots.push(root);
  root.render(createElement(StrictMode, null, element));
  return place;
}

function create() {
  const tracker = recordingTracker();
  tracker.identify('ada@example.com');
  return tracker;
}

/** What the components below did last. */
const seen = new Set<unknown>();
let renders = 0;
let again: (count: number) => void = () => {};
let go: (path: string) => void = () => {};

function Button({ name }: { readonly name: string }) {
  const track = useTrack();
  const [, set] = useState(0);
  again = set;
  renders += 1;
  seen.add(track);
  return createElement('button', { type: 'button', onClick: () => track('click', { name }) }, name);
}

function RoutedLayout() {
  const [path, setPath] = useState('/shop');
  go = setPath;
  usePageViews(path);
  return createElement('p', null, path);
}

function Layout() {
  usePageViews();
  return createElement('p', null, 'there');
}

function Lost() {
  useTracker();
  return null;
}

it('useTrack gives track() of the nearest provider, the same in each render, and causes none', async () => {
  const [outer, inner] = [create(), create()];
  const place = render(
    createElement(
      TrackerProvider,
      { tracker: outer },
      createElement(Button, { name: 'outer' }),
      createElement(TrackerProvider, { tracker: inner }, createElement(Button, { name: 'inner' })),
    ),
  );
  await vi.waitFor(() => expect(place.querySelectorAll('button')).toHaveLength(2), PATIENCE);
  const before = renders;
  for (const button of place.querySelectorAll('button')) button.click();
  expect(outer.events().map(({ payload }) => payload)).toEqual([{ name: 'outer' }]);
  expect(inner.events().map(({ payload }) => payload)).toEqual([{ name: 'inner' }]);
  expect(renders).toBe(before);
  again(1);
  await vi.waitFor(() => expect(renders).toBeGreaterThan(before), PATIENCE);
  expect(seen).toEqual(new Set([outer.track, inner.track]));
});

it('usePageViews with the path of a router counts each path once, in StrictMode too', async () => {
  const tracker = create();
  const place = render(createElement(TrackerProvider, { tracker }, createElement(RoutedLayout)));
  await vi.waitFor(() => expect(place.textContent).toBe('/shop'), PATIENCE);
  go('/cart');
  await vi.waitFor(() => expect(tracker.events()).toHaveLength(2), PATIENCE);
  expect(tracker.events().map(({ payload }) => payload)).toEqual([
    { title: document.title, path: '/shop', referrer: document.referrer },
    { title: document.title, path: '/cart', referrer: '/shop' },
  ]);
});

it('usePageViews without a path watches the address, and counts the first view once', async () => {
  const tracker = create();
  render(createElement(TrackerProvider, { tracker }, createElement(Layout)));
  const { payload } = await tracker.waitFor('page_view', { timeoutMs: PATIENCE.timeout });
  expect(payload?.path).toBe(location.pathname + location.search + location.hash);
  expect(tracker.events()).toHaveLength(1);
});

it('a component without a provider is told what to do', async () => {
  const errors: unknown[] = [];
  render(createElement(Lost), (error) => errors.push(error));
  await vi.waitFor(
    () => expect(String(errors[0])).toMatch(/put <TrackerProvider tracker=\{tracker\}> around/),
    PATIENCE,
  );
});
