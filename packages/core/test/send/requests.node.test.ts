import { redactedError, redactor } from '@sluice/protocol/toolbox';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import { idempotency } from '../../src/parts/idempotency.ts';
import type { Outcome, Transport, TransportRequest } from '../../src/send/http/transport.ts';
import { createRequests, type Destination, type Requests, SERVICE } from '../../src/send/requests.ts';
import type { Parcel } from '../../src/wait/parcel.ts';
import { createBatch } from '../bench/batch.ts';
import { toEventBytes } from '../bench/event-texts.ts';
import { answered, failed } from '../bench/scripted-transport.ts';

const KEY = 'canary-key-5f1d';
const TIMEOUTS = { connectMs: 1_000, headersMs: 2_000, bodyMs: 3_000, totalMs: 10_000 };
const OK = answered(200);

interface Bench {
  readonly clock: VirtualClock;
  readonly requests: Requests;
  readonly seen: TransportRequest[];
  /** What it says of requests that ended. */
  readonly ended: object[];
}

function createBench(
  respond: (request: TransportRequest) => unknown = () => OK,
  {
    apiKey,
    headers = {},
    headersOf,
    destination = SERVICE,
  }: {
    readonly apiKey: string | undefined;
    readonly destination?: Destination;
    readonly headers?: Readonly<Record<string, string>>;
    readonly headersOf?: Parameters<typeof createRequests>[0]['hooked']['headers'];
  } = { apiKey: KEY },
): Bench {
  const clock = new VirtualClock();
  const seen: TransportRequest[] = [];
  const ended: object[] = [];
  const reporter = { emit: (_name: string, detail: object) => void ended.push(detail) };
  const transport: Transport = {
    post: (request) => {
      seen.push(request);
      return respond(request) as Promise<Outcome>;
    },
    close: async () => {},
  };
  const requests: Requests = createRequests({
    settings: {
      ...{ apiKey, baseUrl: 'https://example.com/', parts: {} },
      advanced: { connectTimeoutMs: 1_000, headersTimeoutMs: 2_000, bodyTimeoutMs: 3_000 },
      delivery: { headers, timeoutMs: 10_000 },
    },
    hooked: {
      ...{ destination, headers: headersOf },
      safeCause: (cause) => redactedError(cause, (text) => requests.redact(text)),
    },
    ...{ redactor, reporter, transport, clock, signal: new AbortController().signal },
  });
  return { clock, ended, requests, seen };
}

function batch(...texts: string[]): Parcel {
  const events = texts.length === 0 ? ['{"n":1}'] : texts;
  return createBatch(toEventBytes(events), { segment: 1, from: 0, to: events.length });
}

describe('requests', () => {
  it('posts the body of a batch to the service, with the key and the time-outs', async () => {
    const { requests, seen } = createBench();
    expect(await requests.post(batch('{"n":1}', '{"n":2}'))).toEqual(OK);
    expect(seen).toMatchObject([
      {
        url: 'https://example.com/api/events/batch/',
        headers: { authorization: `Api-Key ${KEY}`, 'content-type': 'application/json' },
        timeouts: TIMEOUTS,
      },
    ]);
    expect(new TextDecoder().decode(seen[0]?.body)).toBe('{"batch":[{"n":1},{"n":2}]}');
  });

  it('keeps account of what it sends, and of how long answers take', async () => {
    const outcomes = [OK, answered(404), failed(true), answered(302)];
    const { clock, ended, requests } = createBench(async () => {
      await clock.advance(20);
      return outcomes.shift();
    });
    const [first, second] = [batch('{"n":1}'), batch('{"n":2}')];
    for (const [index, sent] of [first, second, second, second].entries()) {
      const outcome = await requests.post(sent, index > 1);
      if (outcome?.kind === 'answered' && sent === first) requests.accepted();
    }
    const bytes = 4 * '{"batch":[{"n":1}]}'.length;
    const latencyMs = { p50: 20, p90: 20, p99: 20, max: 20 };
    expect(requests.stats).toEqual({ sent: 4, retried: 2, failed: 3, bytes, latencyMs });
    const url = 'https://example.com/api/events/batch/';
    expect(ended).toEqual([200, 404, 0, 302].map((status) => ({ url, status, durationMs: 20 })));
  });

  it('tells the latency of the last 500 requests', async () => {
    let count = 0;
    const { clock, requests } = createBench(async () => {
      await clock.advance(count < 200 ? 1_000 : count % 10);
      count += 1;
      return OK;
    });
    for (let made = 0; made < 700; made += 1) await requests.post(batch());
    expect(requests.stats.latencyMs).toEqual({ p50: 4, p90: 8, p99: 9, max: 9 });
  });

  it('hands on the whole body of an answer', async () => {
    const body = 'x'.repeat(60_000);
    const { requests } = createBench(() => answered(207, { body }));
    expect(await requests.post(batch())).toMatchObject({ body });
  });
});

describe('requests, with headers of the user', () => {
  const headers = { 'x-tenant': 'acme', cookie: 'session="canary-4b1e"' };

  it('sends them with each request, also with another key and with an id', async () => {
    const headersOf = () => ({ 'Idempotency-Key': 'id' });
    const { requests, seen } = createBench(() => OK, { apiKey: KEY, headers, headersOf });
    await requests.post(batch());
    requests.setApiKey('second');
    await requests.post(batch());
    const type = { 'content-type': 'application/json' };
    expect(seen.map(({ headers }) => headers)).toEqual(
      [KEY, 'second'].map((key) => {
        return { ...headers, ...type, authorization: `Api-Key ${key}`, 'Idempotency-Key': 'id' };
      }),
    );
  });

  it('replaces nothing that it sends itself, and needs no key', async () => {
    const more = { ...headers, authorization: 'Basic mine', 'content-type': 'text/plain' };
    const { requests, seen } = createBench(() => OK, { apiKey: KEY, headers: more });
    await requests.post(batch());
    expect(seen[0]?.headers).toMatchObject({
      authorization: `Api-Key ${KEY}`,
      'content-type': 'application/json',
    });
    const relay = createBench(() => OK, { apiKey: undefined, headers });
    await relay.requests.post(batch());
    expect(relay.seen[0]?.headers).toEqual({ ...headers, 'content-type': 'application/json' });
  });

  it('shows no long one, however often the key changes: it may be a secret', async () => {
    const echo = JSON.stringify({ tenant: 'acme', cookie: headers.cookie });
    const { requests } = createBench(() => answered(401, { body: echo }), { apiKey: KEY, headers });
    for (let number = 0; number < 10; number += 1) requests.setApiKey(`key-${number}`);
    expect(await requests.post(batch())).toMatchObject({ body: '{"tenant":"acme","cookie":"[key]"}' });
  });
});

describe('requests, with an idempotency header', () => {
  it('sends an id that is equal over retries, and another with each batch', async () => {
    const { requests, seen } = createBench(() => OK, {
      apiKey: KEY,
      headersOf: idempotency('Idempotency-Key'),
    });
    const [first, second] = [batch('{"n":1}'), batch('{"n":2}')];
    for (const sent of [first, second, first]) await requests.post(sent);
    const ids = seen.map(({ headers }) => headers['Idempotency-Key']);
    expect(ids[0]).toMatch(/-1-[0-9a-f]{8}$/);
    expect(ids[2]).toBe(ids[0]);
    expect(ids[1]).not.toBe(ids[0]);
    expect(seen[0]?.headers.authorization).toBe(`Api-Key ${KEY}`);
  });
});

describe('requests, with another key', () => {
  it('sends later requests with it', async () => {
    const { requests, seen } = createBench();
    await requests.post(batch());
    requests.setApiKey('second');
    await requests.post(batch());
    const keys = seen.map(({ headers }) => headers.authorization);
    expect(keys).toEqual([`Api-Key ${KEY}`, 'Api-Key second']);
  });

  it('asks a destination of the user for its headers once for each key, and keeps the key before one that it refuses', async () => {
    const asked: (string | undefined)[] = [];
    const headers = (key: string | undefined) => {
      asked.push(key);
      if (key === 'bad') throw new Error('not this key');
      return { 'x-key': `${key}` };
    };
    const { requests, seen } = createBench(() => OK, { apiKey: KEY, destination: { ...SERVICE, headers } });
    for (let times = 0; times < 3; times += 1) await requests.post(batch());
    expect(() => requests.setApiKey('bad')).toThrow('not this key');
    await requests.post(batch());
    requests.setApiKey('second');
    await requests.post(batch());
    expect(asked).toEqual([KEY, 'bad', 'second']);
    expect(seen.map(({ headers }) => headers['x-key'])).toEqual([KEY, KEY, KEY, KEY, 'second']);
  });

  it('shows neither the new one nor those before it', async () => {
    const keys = [KEY, 'second/key', 'third"key'];
    const echo = `you sent ${keys.join(' and ')}, or ${encodeURIComponent('second/key')}`;
    const outcomes = [answered(401, { body: echo }), failed(false, new Error(echo))];
    const { requests } = createBench(() => outcomes.shift());
    for (const key of keys.slice(1)) requests.setApiKey(key);
    const answer = await requests.post(batch());
    const failure = await requests.post(batch());
    const shown = [JSON.stringify(answer), failure?.kind === 'failed' && String(failure.cause)].join('\n');
    expect(shown.match(/you sent/g)).toHaveLength(2);
    for (const key of ['canary', 'second', 'third']) expect(shown).not.toContain(key);
  });

  it('may be given a new one as often as there is need', async () => {
    const { requests } = createBench(() => answered(401, { body: 'key-99999, key-99998' }));
    for (let number = 0; number < 100_000; number += 1) requests.setApiKey(`key-${number}`);
    expect(await requests.post(batch())).toMatchObject({ body: '[key], [key]' });
  });
});
