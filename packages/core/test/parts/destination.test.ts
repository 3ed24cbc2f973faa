import { describe, expect, it } from 'vitest';
import { ConfigError, createTracker, type DestinationOptions, type Transport } from '../../src/index.ts';
import { accountOf } from '../../src/keep/account.ts';
import { Bench } from '../bench/bench.ts';

const KEY = 'canary/7f3a91-key';
const LINES: DestinationOptions = { path: '/lines', head: '', separator: '\n', tail: '\n' };

interface Seen {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A tracker whose destination is given bodies as texts, and answers with a status. */
function create(destination: DestinationOptions, answer: (body: string) => number = () => 200) {
  const seen: Seen[] = [];
  const transport: Transport = {
    async post({ url, headers, body: bytes }) {
      const body = new TextDecoder().decode(bytes);
      seen.push({ url, headers, body });
      return { kind: 'answered', status: answer(body), retryAfter: undefined, body: '' };
    },
    close: async () => {},
  };
  const bench = new Bench({ destination, apiKey: KEY, transport });
  const track = async (...names: string[]) => {
    for (const [number, name] of names.entries())
      bench.tracker.track(name, { name, number }, { correlationValue: 'ä@example.com' });
    await bench.pass(60_000);
  };
  return { bench, seen, track };
}

/** What the destination receives of two events. */
async function send(destination: DestinationOptions) {
  const { bench, seen, track } = create(destination);
  await track('one', 'two');
  const [{ url, headers, body } = { url: '', headers: {}, body: '' }] = seen;
  return { bench, url, headers, body };
}

describe('a destination', () => {
  it('is the service where nothing else is said', async () => {
    const { url, headers, body } = await send({});
    expect(url).toBe('http://service.example/api/events/batch/');
    expect(headers).toEqual({ 'content-type': 'application/json', authorization: `Api-Key ${KEY}` });
    expect(JSON.parse(body).batch).toMatchObject([{ event: 'one' }, { event: 'two' }]);
  });

  it('has a path, headers, a head, a separator and a tail of its own', async () => {
    const { url, headers, body, bench } = await send({
      ...{ path: '/v1/collect?from=shop', head: '[ ', separator: ' , ', tail: ' ]' },
      headers: { 'Content-Type': 'application/x-own', 'X-Key': 'abc' },
    });
    expect(url).toBe('http://service.example/v1/collect?from=shop');
    expect(headers).toEqual({ 'content-type': 'application/x-own', 'x-key': 'abc' });
    expect(body).toMatch(/^\[ \{.*\} , \{.*\} \]$/);
    expect(JSON.parse(body)).toMatchObject([
      { payload: { name: 'one' } },
      { correlationValue: 'ä@example.com' },
    ]);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 2, pending: 0 });
  });

  it('makes headers of the key, and makes them again of another key', async () => {
    const headers = (apiKey: string | undefined) => ({ authorization: `Bearer ${apiKey}` });
    const { bench, seen, track } = create({ headers });
    await track('one');
    bench.tracker.setApiKey('another');
    await track('two');
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`, 'Bearer another']);
  });

  it('is never asked for headers without the key of the tracker', async () => {
    const { headers } = await send({
      headers: (apiKey) => {
        if (apiKey === undefined) throw new Error('no key');
        return { 'x-key': apiKey };
      },
    });
    expect(headers).toMatchObject({ 'x-key': KEY });
  });

  it('shows neither a header of its own nor a key in its path where it fails', async () => {
    const secret = 'Bearer static-secret-12345';
    const bench = new Bench({
      ...{ apiKey: KEY, destination: { path: `/collect?key=${KEY}`, headers: { authorization: secret } } },
    });
    bench.answer(() => ({ kind: 'answered', status: 401, retryAfter: undefined, body: `got ${secret}` }));
    const urls: string[] = [];
    bench.tracker.on('request', ({ url }) => urls.push(url));
    await bench.track(1);
    const { lastError, pause } = bench.tracker.stats();
    const shown = JSON.stringify([
      urls,
      lastError,
      pause,
      bench.attemptsFailed.map(({ error }) => error.message),
    ]);
    expect(shown).toContain('got [key]');
    expect(shown).toContain('/collect?key=[key]');
    expect(shown).not.toMatch(/static-secret|canary/);
  });

  it('shapes events: as data, or as a text that is sent as it is', async () => {
    const data = await send({
      ...LINES,
      event: ({ event, payload }) => ({ type: event, ...payload, number: undefined }),
    });
    expect(data.body).toBe('{"type":"one","name":"one"}\n{"type":"two","name":"two"}\n');
    const text = await send({
      ...LINES,
      event: ({ event, correlationValue }) => `${event},${correlationValue}`,
    });
    expect(text.body).toBe('one,ä@example.com\ntwo,ä@example.com\n');
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('mine');
      },
    ],
    ['returns nothing', () => undefined],
    ['returns what JSON cannot write', () => 1n],
    ['is asynchronous', async () => ({ type: 'late' })],
    ['is asynchronous, and rejects', () => Promise.reject(new Error('mine'))],
  ])('whose event() %s loses no event: it is sent unchanged', async (_, event) => {
    const { body, bench } = await send({ ...LINES, event });
    expect(
      body
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).event),
    ).toEqual(['one', 'two']);
    expect(bench.callbacksFailed).toMatchObject([{ callback: 'destination.event' }]);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 2, pending: 0 });
  });

  it('that is tried again gets the same bytes', async () => {
    let count = 0;
    const event = (given: { event: string }) => {
      count += 1;
      return `${given.event} ${count}`;
    };
    let tries = 0;
    const { seen, track } = create({ ...LINES, event }, () => {
      tries += 1;
      return tries < 3 ? 503 : 200;
    });
    await track('one');
    const bodies = seen.map(({ body }) => body);
    expect(bodies).toEqual(['one 1\n', 'one 1\n', 'one 1\n']);
  });

  it('that refuses one event of a batch gets the others', async () => {
    const taken = new Set<number>();
    const { bench, track } = create(LINES, (body) => {
      const lines = body
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      if (lines.some(({ event }) => event === 'bad')) return 400;
      for (const { payload } of lines) taken.add(payload.number);
      return 200;
    });
    await track(...Array.from({ length: 50 }, (_, number) => (number === 13 ? 'bad' : 'good')));
    expect(taken.size).toBe(49);
    expect(bench.tracker.stats()).toMatchObject({ delivered: 49, deadLettered: 1, pending: 0 });
  });

  it('has a journal of its own', () => {
    const names = { baseUrl: 'http://service.example', correlationKey: 'email' };
    const other = accountOf({ ...names, destination: { path: '/lines' } });
    expect(other).not.toBe(accountOf(names));
    expect(accountOf({ ...names, destination: { head: '' } as object })).toBe(accountOf(names));
    const shop = { ...names, account: 'shop' };
    expect(accountOf({ ...shop, destination: { path: '/lines' } })).not.toBe(accountOf(shop));
  });
});

it.each<[string, unknown, string]>([
  ['path', 'lines', 'destination.path must be empty, or a path from / on, got'],
  [
    'headers',
    { 'content-length': '5' },
    'destination.headers must be ASCII headers that Sluice does not send',
  ],
  ['headers', { 'x-key': `${KEY}\n` }, 'x-key'],
  [
    'headers',
    () => {
      throw new Error(KEY);
    },
    'destination.headers must be an object, or a function that returns one, got nothing',
  ],
  ['headers', new Headers({ 'x-key': 'a' }), 'destination.headers must be an object'],
  ['headers', new Map([['x-key', 'a']]), 'destination.headers must be an object'],
  ['headers', async () => ({ 'x-key': 'a' }), 'destination.headers must be an object'],
  ['headers', () => Promise.reject(new Error('mine')), 'destination.headers must be an object'],
  ['headers', () => 5, 'destination.headers must be an object, or a function that returns one, got number 5'],
  ['headers', 5, 'destination.headers must be an object, or a function that returns one, got number 5'],
  ['tail', 5, 'destination.tail must be a string, got number 5'],
  ['event', {}, 'destination.event must be a function'],
  ['heads', '', 'destination.heads must be one of path, headers, head, separator, tail, event'],
])('a wrong destination.%s is a ConfigError that says what is allowed', (name, value, words) => {
  const create = () =>
    createTracker({
      baseUrl: 'http://a.example',
      correlationKey: 'id',
      apiKey: KEY,
      destination: { [name]: value },
    });
  expect(create).toThrow(ConfigError);
  expect(create).toThrow(words);
  expect(create).not.toThrow(KEY);
});

it('a destination that is no object is a ConfigError', () => {
  const create = (destination: unknown) =>
    createTracker({ baseUrl: 'http://a.example', correlationKey: 'id', destination: destination as object });
  expect(() => create(5)).toThrow('destination must be an object, got number 5');
});

it('what a destination makes of a later key is shown nowhere', async () => {
  const token = (key: string | undefined) => `token-of-${key}`.toUpperCase();
  const transport: Transport = {
    async post({ headers }) {
      return { kind: 'answered', status: 401, retryAfter: undefined, body: `unknown ${headers['x-token']}` };
    },
    close: async () => {},
  };
  const destination: DestinationOptions = { headers: (key) => ({ 'x-token': token(key) }) };
  const bench = new Bench({ destination, apiKey: KEY, transport });
  await bench.track(1);
  bench.tracker.setApiKey('second-key');
  await bench.pass(60_000);
  expect(bench.tracker.stats().lastError?.message).toContain('unknown [key]');
});
