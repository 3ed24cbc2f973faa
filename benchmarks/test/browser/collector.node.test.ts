import { expect, it } from 'vitest';
import { Collector } from '../../src/browser/collector.ts';

const post = (url: string, ids: readonly string[]) =>
  fetch(url, { method: 'POST', body: JSON.stringify(ids.map((bench_id) => ({ bench_id }))) });

it('refuses while it is down, takes when it is up, and counts by id what came, and what came twice', async () => {
  await using service = await Collector.start();
  await expect(post(service.url, ['event-1'])).rejects.toThrow();
  service.goUp();
  await post(service.url, ['event-1', 'event-2', 'proof-1']);
  await post(service.url, ['event-2']);
  expect(service.count('event')).toEqual({ delivered: 2, twice: 1 });
  service.goDown();
  await expect(post(service.url, ['event-3'])).rejects.toThrow();
  expect(service.count('event').delivered).toBe(2);
});

it('lets pages of other origins send whatever they like', async () => {
  await using service = await Collector.start();
  service.goUp();
  const headers = { origin: 'http://shop.example', 'access-control-request-headers': 'x-key' };
  const answer = await fetch(service.url, { method: 'OPTIONS', headers });
  expect(answer.headers.get('access-control-allow-origin')).toBe('http://shop.example');
});
