import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, it, vi } from 'vitest';
import { createRelay, type RelayOptions } from '../../src/index.ts';
import { ADA, directory, listen, openSite, optionsOf, pageEvent, SECRET } from '../bench/site.ts';

const KEY = 'canary-key-0123456789';

it('the service gets the key, and nothing that the page has sent in a header', async () => {
  const seen: { headers: object; url: string | undefined }[] = [];
  const baseUrl = await listen((request, response) => {
    seen.push({ headers: request.headersDistinct, url: request.url });
    request.resume();
    request.on('end', () => response.end('{}'));
  });
  const site = await openSite(optionsOf({ baseUrl, apiKey: KEY }));
  const headers = { cookie: 'session=bob; other=cookie-canary', authorization: 'Bearer page-canary' };
  const more = {
    'x-forwarded-host': 'evil.example',
    'x-upstream': 'http://evil.example',
    'x-canary': 'header-canary',
  };
  const body = { batch: [pageEvent()], ticket: await site.ticket(), baseUrl: 'http://evil.example' };
  expect(await site.send(body, { ...headers, ...more })).toMatchObject({ status: 202 });
  await expect.poll(() => seen.length).toBe(1);
  expect(seen[0]).toMatchObject({
    url: '/api/events/batch/',
    headers: { authorization: [`Api-Key ${KEY}`] },
  });
  expect(JSON.stringify(seen)).not.toMatch(/page-canary|cookie-canary|header-canary|evil/);
});

it('key searched for in every response, log and file: it is in none, nor is the secret', async () => {
  const lines: string[] = [];
  const say = (...parts: unknown[]) =>
    void lines.push(parts.map((part) => inspect(part, { depth: 9 })).join(' '));
  const logger = { debug: say, info: say, warn: say, error: say };
  for (const method of ['log', 'info', 'warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation(say);
  // A service that echoes the key in whatever it answers, and refuses.
  const baseUrl = await listen((request, response) => {
    request.resume();
    response.writeHead(401).end(`what is ${request.headers.authorization}?`);
  });
  const path = await directory();
  const identify = () => {
    throw new Error(`the session store refuses ${KEY} and ${SECRET}`);
  };
  const jwt = { algorithm: 'HS256', audience: 'a', keys: { one: SECRET } };
  const site = await openSite({
    ...optionsOf({ baseUrl, apiKey: KEY }),
    directory: path,
    enforcement: 'observe',
    logger,
  });
  const failing = await openSite({ ...optionsOf({ baseUrl, apiKey: KEY }, { identify, jwt }), logger });
  const upstream = await openSite({ ...optionsOf({ baseUrl, apiKey: KEY }), durability: 'upstream', logger });
  const ticket = await site.ticket(ADA);
  const bodies = [
    {},
    { jwt: 'x' },
    { jwt: 'e30.e30.e30' },
    { batch: [pageEvent()], ticket },
    { batch: [null, {}] },
    'x',
    '',
  ];
  for (const one of [site, failing, upstream]) {
    for (const body of bodies) {
      for (const headers of [{}, { origin: 'null' }, { 'content-type': 'text/plain' }]) {
        const answered = await one.send(body, headers);
        lines.push(JSON.stringify(answered.headers), answered.text);
      }
    }
    lines.push(inspect(one.relay, { depth: 9, showHidden: true }), JSON.stringify(one.relay.stats()));
    lines.push(JSON.stringify(one.relay.tracker?.stats() ?? null));
  }
  for (const wrong of [
    { baseUrl: KEY },
    { correlationKey: 7 },
    { origins: [KEY] },
    { secret: KEY },
    { [KEY]: 1 },
  ]) {
    const broken = { ...optionsOf({ baseUrl, apiKey: KEY }), directory: path, ...wrong };
    expect(() => createRelay(broken as never)).toThrow(
      expect.objectContaining({ code: 'SLUICE_CONFIG', message: expect.not.stringContaining(KEY) }),
    );
  }
  await site.relay.close({ timeoutMs: 0 });
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) lines.push((await readFile(join(entry.parentPath, entry.name))).toString('latin1'));
  }
  expect(lines.length).toBeGreaterThan(60);
  expect(lines.some((line) => line.includes('session store refuses'))).toBe(true);
  for (const line of lines) {
    expect(line).not.toContain(KEY);
    expect(line).not.toContain(SECRET);
    expect(line).not.toContain(Buffer.from(KEY).toString('base64').slice(0, 20));
  }
  vi.restoreAllMocks();
});

it('values of delivery.headers with at least 8 characters are shown no more than the key', async () => {
  const token = 'canary-token-0123456789';
  const baseUrl = await listen((request, response) => {
    request.resume();
    response.writeHead(500).end(`${request.headers['x-token']} ${request.headers['x-zone']}`);
  });
  const lines: string[] = [];
  const error = (data: object) => void lines.push(inspect(data));
  const logger = { debug() {}, info() {}, warn() {}, error };
  const tracker = { delivery: { headers: { 'x-token': token, 'x-zone': 'north-1' } } };
  const options = optionsOf({ baseUrl, apiKey: KEY }, { durability: 'upstream', logger, tracker });
  const site = await openSite(options);
  expect(await site.send({ batch: [pageEvent()], ticket: await site.ticket() })).toMatchObject({
    status: 503,
  });
  expect(lines).toEqual([expect.stringContaining('500 with [key] north-1')]);
  expect(() => createRelay({ ...options, enforcement: token as never })).not.toThrow(token);
});

it('an answer of the service that echoes the key is cut for the log only after that is removed', async () => {
  const baseUrl = await listen((request, response) => {
    request.resume();
    response.writeHead(500).end(`${'.'.repeat(185)}${request.headers.authorization}`);
  });
  const lines: string[] = [];
  const error = (data: object) => void lines.push(inspect(data));
  const logger = { debug() {}, info() {}, warn() {}, error };
  const site = await openSite(optionsOf({ baseUrl, apiKey: KEY }, { durability: 'upstream', logger }));
  expect(await site.send({ batch: [pageEvent()], ticket: await site.ticket() })).toMatchObject({
    status: 503,
  });
  expect(lines).toEqual([expect.stringContaining('Api-Key [key]')]);
  expect(lines.join()).not.toContain(KEY.slice(0, 4));
});

it.each([
  ['a key', { apiKey: 'canary-\ud800' }, /^apiKey must be visible ASCII characters/],
  ['a secret', { secret: 'canary-\ud800' }, /^secret must be a text of at least 32 characters/],
])('%s with half a character is refused as any other', (_, options, message) => {
  expect(() =>
    createRelay({ ...optionsOf({ baseUrl: 'http://127.0.0.1:9', apiKey: KEY }), ...options }),
  ).toThrow(message);
});

it('a key of JWTs that stands in the wrong place is not shown', () => {
  const options = optionsOf({ baseUrl: 'http://service.example', apiKey: KEY });
  const key = 'canary-jwt-key-0123456789-0123456789';
  const wrong: unknown[] = [key, { algorithm: 'HS256', audience: 'a', keys: key }];
  wrong.push({ algorithm: key, audience: 'a', keys: { one: key } });
  wrong.push({ algorithm: 'HS256', audience: 'a', keys: { [key]: '2026' } });
  for (const jwt of wrong) {
    const create = () => createRelay({ ...options, ...{ jwt: jwt as object } } as RelayOptions);
    expect(create).toThrow(/jwt/);
    expect(create).not.toThrow(key);
    expect(create).not.toThrow(expect.objectContaining({ option: expect.stringContaining(key) }));
  }
});
