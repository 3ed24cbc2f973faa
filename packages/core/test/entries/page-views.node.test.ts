import { expect, it } from 'vitest';
import { pageViews, routedView } from '../../src/entries/page-views.ts';

it('page views are not tracked where there is no document, as on a server', () => {
  const calls: unknown[] = [];
  pageViews({ track: (name) => void calls.push(name) })();
  expect(calls).toEqual([]);
});

it('a path is tracked at once where there is no document, as in React Native, without a title', async () => {
  const views: object[] = [];
  const tracker = { track: (_name: string, payload: object) => void views.push(payload) };
  routedView(tracker, '/shop')();
  const end = routedView(tracker, '/shop');
  expect(views).toEqual([{ path: '/shop' }]);
  end();
  routedView(tracker, '/cart');
  expect(views).toEqual([{ path: '/shop' }, { path: '/cart', referrer: '/shop' }]);
});
