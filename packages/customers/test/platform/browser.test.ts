import { afterEach, expect, it, vi } from 'vitest';
import type { Fetch } from '../../src/index.ts';
import { platform } from '../../src/platform/browser.ts';

const REQUEST = {
  method: 'POST',
  headers: {},
  body: '',
  redirect: 'manual',
  signal: new AbortController().signal,
} as const;

afterEach(() => vi.unstubAllGlobals());

it('the global fetch is looked up when it is called, and called as a function', async () => {
  const response = new Response('mine');
  const mine = vi.fn(async () => response);
  vi.stubGlobal('fetch', mine);
  expect(await platform.fetch('http://127.0.0.1/', REQUEST)).toBe(response);
  expect(mine).toHaveBeenCalledWith('http://127.0.0.1/', REQUEST);
});

it('the global fetch fits the type of the option', () => {
  const option: Fetch = globalThis.fetch;
  expect(option).toBeTypeOf('function');
});
