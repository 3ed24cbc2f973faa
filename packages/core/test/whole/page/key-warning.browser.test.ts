import { afterEach, describe, expect, inject, it } from 'vitest';
import type * as Sluice from '../../../src/index.ts';

const KEY = 'canary-key-77c1';
const RELAY = 'https://relay.example.com';
const { script } = inject('files');

const frames: HTMLIFrameElement[] = [];
afterEach(() => {
  for (const frame of frames.splice(0)) frame.remove();
});

/** What a page that was just opened writes to its console when it creates trackers. */
async function warnings(...options: readonly Partial<Sluice.TrackerOptions>[]): Promise<unknown[][]> {
  const frame = document.createElement('iframe');
  frames.push(frame);
  document.body.append(frame);
  const page = frame.contentWindow as Window & { console: Console; Sluice: typeof Sluice };
  const calls: unknown[][] = [];
  page.console.warn = (...args) => void calls.push(args);
  const element = page.document.createElement('script');
  element.textContent = script;
  page.document.body.append(element);
  for (const option of options) {
    const given = { baseUrl: RELAY, correlationKey: 'email', journal: 'memory', ...option } as const;
    await page.Sluice.createTracker(given).close({ timeoutMs: 0 });
  }
  return calls;
}

describe('a tracker in a page', () => {
  it('warns once per page of a key that everyone can read, says what to do, and does not show the key', async () => {
    const calls = await warnings({ apiKey: KEY }, { apiKey: KEY, baseUrl: 'https://example.org' });
    expect(calls).toEqual([
      [expect.stringMatching(/^Sluice: the apiKey of a page is public; leave it to a relay$/)],
    ]);
    expect(JSON.stringify(calls)).not.toContain(KEY);
  });

  it('does not warn without a key', async () => {
    expect(await warnings({})).toEqual([]);
  });

  it.each([
    ...['http://localhost:4100', 'http://shop.localhost/', 'http://127.0.0.1:4100/a', 'http://127.8.0.1'],
    ...['https://[::1]:4100', 'http://LOCALHOST'],
  ])('does not warn of a key for a service on the same machine: %s', async (baseUrl) => {
    expect(await warnings({ apiKey: KEY, baseUrl })).toEqual([]);
  });

  it.each([
    ...['https://localhost.example.com', 'https://notlocalhost/', 'http://192.168.0.7:4100'],
    ...['https://example.com/localhost/', 'https://127.example.com'],
  ])('warns of a key for another machine: %s', async (baseUrl) => {
    expect(await warnings({ apiKey: KEY, baseUrl })).toHaveLength(1);
  });

  it('warns at once where the address is a megabyte that looks like 127.0.0.1 again and again', async () => {
    const baseUrl = `https://example.com//${'127.'.repeat(250_000)}`;
    expect(await warnings({ apiKey: KEY, baseUrl })).toHaveLength(1);
  });
});
