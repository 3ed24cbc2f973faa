import { describe, expect, it } from 'vitest';
import { readBaseUrl } from '../src/base-url.ts';

describe('readBaseUrl', () => {
  it.each([
    ['http://127.0.0.1:4100', 'http://127.0.0.1:4100/'],
    ['HTTPS://Example.com/v1/', 'https://example.com/v1/'],
    ['https://example.com/v1?', 'https://example.com/v1'],
    ['https://example.com/v1#', 'https://example.com/v1'],
  ])('takes %s', (given, read) => {
    expect(readBaseUrl('baseUrl', given)).toBe(read);
  });

  it.each([
    ['', 'an empty string'],
    ['example.com', 'string "example.com"'],
    ['ftp://example.com', 'string "ftp://example.com"'],
    [7, 'number 7'],
    [null, 'null'],
  ])('refuses %j, names the option and shows the value', (given, shown) => {
    expect(() => readBaseUrl('apiUrl', given)).toThrow(
      `apiUrl must be an http or https URL without credentials, query or fragment, got ${shown}`,
    );
  });

  it.each([
    'https://ada:hunter2@example.com',
    'ftp://hunter2@example.com',
    'http://ada:hunter2@',
    'https://example.com/?key=hunter2',
    'https://example.com/#hunter2',
    'ftp://example.com/hunter2',
    'hunter2',
    'ada:hunter2@example.com',
    'https://ada:hunter2/9@example.com',
  ])('shows no secret: %s', (given) => {
    expect(() => readBaseUrl('baseUrl', given, 'hunter2')).toThrow(/^(?!.*hunter2).*without credentials/);
  });

  it.each(['can/ary', 'can?ary', 'can@ary', 'can#ary'])('shows no part of a key such as %s', (key) => {
    for (const given of [`https://ada:${key}@example.com`, `https://example.com/?key=${key}`, `ftp://${key}`])
      expect(() => readBaseUrl('baseUrl', given, key)).toThrow(/^(?!.*(?:can|ary)).*without credentials/);
  });

  it('shows nothing of a value that is swapped with the key, and says so', () => {
    expect(() => readBaseUrl('baseUrl', 'hunter2', 'https://example.com')).toThrow(
      /^(?!.*hunter2).*got apiKey$/,
    );
  });

  it('refuses a megabyte at once', () => {
    for (const text of ['a', '@', '/', '?', 'a/', '://', 'a:', '@/'].map((part) => part.repeat(1_000_000)))
      expect(() => readBaseUrl('baseUrl', `ftp${text}`)).toThrow('must be an http or https URL');
  });
});
