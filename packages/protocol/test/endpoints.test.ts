import { expect, it } from 'vitest';
import { CUSTOMER_READ_PATH, EVENTS_PATH, endpoint } from '../src/index.ts';

it('the paths are those of the interface, one with a trailing slash and one without', () => {
  expect(endpoint('http://127.0.0.1:4100', EVENTS_PATH)).toBe('http://127.0.0.1:4100/api/events/batch/');
  expect(endpoint('http://127.0.0.1:4200', CUSTOMER_READ_PATH)).toBe('http://127.0.0.1:4200/customers/read');
});

it('a base address may end in slashes, and may have a path of its own', () => {
  expect(endpoint('https://x.io/', EVENTS_PATH)).toBe('https://x.io/api/events/batch/');
  expect(endpoint('https://x.io/eu/v2///', CUSTOMER_READ_PATH)).toBe('https://x.io/eu/v2/customers/read');
});

it('an absurd base address takes linear time', () => {
  const slashes = '/'.repeat(1_000_000);
  expect(endpoint(`a${slashes}`, '/b')).toBe('a/b');
  expect(endpoint(`${slashes}a`, '/b')).toBe(`${slashes}a/b`);
  expect(endpoint('', '/b')).toBe('/b');
});
