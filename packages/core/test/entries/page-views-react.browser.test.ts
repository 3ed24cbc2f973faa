import { createElement, StrictMode, useEffect } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createBrowserRouter, Outlet, type RouteObject, RouterProvider, useNavigate } from 'react-router';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { pageViews } from '../../src/entries/page-views.ts';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';

const home = location.pathname + location.search + location.hash;
const { title } = document;
const roots: Root[] = [];

afterEach(() => {
  for (const root of roots.splice(0)) root.unmount();
  history.replaceState(null, '', home);
  document.title = title;
});

/** An application with two routes. The data of the second one arrives late. */
class Shop {
  readonly views: unknown[] = [];
  readonly clock = new VirtualClock();
  go: (path: string | number) => unknown = () => {};
  /** The data of the second route has arrived. */
  arrive: () => void = () => {};
  readonly #tracker = { track: (_name: string, payload?: object) => void this.views.push(payload) };

  constructor() {
    const page = (title: string) => () => createElement('title', null, title);
    const layout: RouteObject = {
      Component: () => {
        const navigate = useNavigate();
        this.go = navigate as typeof this.go;
        useEffect(() => pageViews(this.#tracker, this.clock), []);
        return createElement(Outlet);
      },
      children: [
        { path: '/shop', Component: page('Shop') },
        {
          path: '/cart',
          loader: () => new Promise((resolve) => (this.arrive = () => resolve(null))),
          Component: page('Cart'),
        },
      ],
    };
    history.replaceState(null, '', '/shop');
    const root = createRoot(document.body.appendChild(document.createElement('div')));
    roots.push(root);
    const router = createBrowserRouter([layout]);
    root.render(createElement(StrictMode, null, createElement(RouterProvider, { router })));
  }
}

describe('page views of a React application with a router, in StrictMode', () => {
  it('are counted once each, with the title of their own route', async () => {
    const shop = new Shop();
    // React runs effects some time after it has set the title.
    const views = async () => {
      await shop.clock.advance(1_000);
      return shop.views;
    };
    await expect.poll(views).toEqual([{ title: 'Shop', path: '/shop', referrer: document.referrer }]);

    void shop.go('/cart');
    shop.arrive();
    await vi.waitFor(() => expect(document.title).toBe('Cart'), PATIENCE);
    await vi.waitFor(() => expect(shop.views).toHaveLength(2), PATIENCE);
    expect(shop.views[1]).toEqual({ title: 'Cart', path: '/cart', referrer: '/shop' });

    void shop.go(-1);
    await vi.waitFor(() => expect(document.title).toBe('Shop'), PATIENCE);
    await shop.clock.advance(10_000);
    expect(shop.views.slice(2)).toEqual([{ title: 'Shop', path: '/shop', referrer: '/cart' }]);
  });

  it('end when the application is unmounted', async () => {
    const shop = new Shop();
    await vi.waitFor(() => expect(document.title).toBe('Shop'), PATIENCE);
    for (const root of roots.splice(0)) root.unmount();
    await vi.waitFor(() => expect(shop.views).toHaveLength(1), PATIENCE);
    history.pushState(null, '', '/elsewhere');
    await shop.clock.advance(10_000);
    expect(shop.views).toHaveLength(1);
  });
});
