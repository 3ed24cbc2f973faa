import { readFileSync } from 'node:fs';
import { recordingTracker } from '@sluice/core/testing';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { TrackerProvider, usePageViews, useTrack } from '../src/index.ts';

function Page() {
  useTrack();
  usePageViews();
  usePageViews('/shop');
  return createElement('h1', null, 'Shop');
}

it('renders on a server, and tracks nothing there', () => {
  const tracker = recordingTracker();
  const html = renderToString(createElement(TrackerProvider, { tracker }, createElement(Page)));
  expect(html).toBe('<h1>Shop</h1>');
  expect(tracker.events()).toEqual([]);
});

it('says in its first line that it is for the client, as React Server Components ask', () => {
  const source = readFileSync(new URL('../src/index.ts', import.meta.url), 'utf8');
  expect(source).toMatch(/^'use client';/);
  const built = readFileSync(new URL('../dist/index.js', import.meta.url), 'utf8');
  expect(built).toMatch(/^['"]use client['"];/);
});
