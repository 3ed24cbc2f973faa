import { recordingTracker } from '@sluice/core/testing';
import { createElement, type ReactElement, StrictMode, useEffect, useState } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../testing/patience.ts';
import { TrackerProvider, usePageViews, useTrack, useTracker } from '../src/index.ts';

const roots: Root[] = [];
const { title } = document;
afterEach(() => {
  for (const root of roots.splice(0)) root.unmount();
  document.title = title;
  Reflect.deleteProperty(document, 'prerendering');
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
let go: (path: string | null) => void = () => {};

function Button({ name }: { readonly name: string }) {
  const track = useTrack();
  const [, set] = useState(0);
  again = set;
  renders += 1;
  seen.add(track);
  return createElement('button', { type: 'button', onClick: () => track('click', { name }) }, name);
}

function Route({ path }: { readonly path: string | null }) {
  usePageViews(path);
  return null;
}

/** Sets the title after its routes have run their effects, as routers do. */
function RoutedLayout({ start, routes = 1 }: { readonly start: string | null; readonly routes?: number }) {
  const [path, setPath] = useState(start);
  const [titled, setTitled] = useState<string | null>();
  go = setPath;
  useEffect(() => {
    document.title = `Page ${path}`;
    setTitled(path);
  }, [path]);
  return createElement(
    'p',
    null,
    `${titled}`,
    Array.from({ length: routes }, (_, index) =>
      createElement(Route, { key: index, path: index && path ? `${path}/${index}` : path }),
    ),
  );
}

/** Renders routes, and returns the views that were tracked and the path whose title is set. */
function renderRoutes(start: string | null, routes?: number) {
  const tracker = create();
  const layout = createElement(RoutedLayout, { start, ...(routes && { routes }) });
  const place = render(createElement(TrackerProvider, { tracker }, layout));
  return {
    path: () => place.textContent,
    views: () => tracker.events().map(({ payload }) => payload),
  };
}

/** Tracks what waits for its title. */
function hide(): void {
  document.dispatchEvent(new Event('visibilitychange'));
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

it('usePageViews with the path of a router counts each path once, with its own title, in StrictMode too', async () => {
  const { views } = renderRoutes('/shop');
  await vi.waitFor(() => expect(views()).toHaveLength(1), PATIENCE);
  go('/cart');
  await vi.waitFor(() => expect(views()).toHaveLength(2), PATIENCE);
  expect(views()).toEqual([
    { title: 'Page /shop', path: '/shop', referrer: document.referrer },
    { title: 'Page /cart', path: '/cart', referrer: '/shop' },
  ]);
});

it('usePageViews tracks nothing while the path is null, as it is not known yet', async () => {
  const { path, views } = renderRoutes(null);
  await vi.waitFor(() => expect(path()).toBe('null'), PATIENCE);
  hide();
  expect(views()).toEqual([]);
  go('/shop');
  await vi.waitFor(() => expect(path()).toBe('/shop'), PATIENCE);
  hide();
  expect(views()).toMatchObject([{ path: '/shop' }]);
});

it('usePageViews counts the paths of two components once each, in StrictMode too', async () => {
  const { path, views } = renderRoutes('/shop', 2);
  await vi.waitFor(() => expect(path()).toBe('/shop'), PATIENCE);
  hide();
  expect(views()).toMatchObject([{ path: '/shop' }, { path: '/shop/1' }]);
});

it('usePageViews with a path waits while the page is prerendered', async () => {
  let prerendering = true;
  Object.defineProperty(document, 'prerendering', { configurable: true, get: () => prerendering });
  const { path, views } = renderRoutes('/shop');
  await vi.waitFor(() => expect(path()).toBe('/shop'), PATIENCE);
  hide();
  expect(views()).toEqual([]);
  prerendering = false;
  document.dispatchEvent(new Event('prerenderingchange'));
  hide();
  expect(views()).toMatchObject([{ path: '/shop' }]);
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
