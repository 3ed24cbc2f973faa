import { expect, it } from 'vitest';
import { pageViews } from '../../src/entries/page-views.ts';

it('page views are not tracked where there is no document, as on a server', () => {
  const calls: unknown[] = [];
  pageViews({ track: (name) => void calls.push(name) })();
  expect(calls).toEqual([]);
});
