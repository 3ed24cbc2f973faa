import { describe, expect, it, vi } from 'vitest';
import { type Batch, createBatch } from '../src/batch.ts';
import { Requests, type RequestsOptions } from '../src/requests.ts';
import type { Outcome, Transport, TransportRequest } from '../src/transport.ts';
import { toEventBytes } from './event-texts.ts';
import { answered, failed, hang } from './scripted-transport.ts';
import { settle, VirtualClock } from './virtual-clock.ts';

const KEY = 'canary-key-5f1d';
const TIMEOUTS = { connectMs: 1_000, headersMs: 2_000, bodyMs: 3_000, totalMs: 10_000 };
const OK = answered(200);

interface Bench {
  readonly clock: VirtualClock;
  readonly requests: Requests;
  readonly seen: TransportRequest[];
  readonly abort: AbortController;
}

function createBench(
  respond: (request: TransportRequest) => unknown = () => OK,
  options: Partial<RequestsOptions> = {},
): Bench {
  const clock = new VirtualClock();
  const seen: TransportRequest[] = [];
  const abort = new AbortController();
  const transport: Transport = {
    post: (request) => {
      seen.push(request);
      return respond(request) as Promise<Outcome>;
    },
    close: async () => {},
  };
  const requests = new Requests({
    ...{ url: 'https://example.com/api/events/batch/', apiKey: KEY, timeouts: TIMEOUTS },
    ...{ idempotencyHeader: undefined, transport, clock, signal: abort.signal, ...options },
  });
  return { clock, requests, seen, abort };
}

function batch(...texts: string[]): Batch {
  const events = texts.length === 0 ? ['{"n":1}'] : texts;
  return createBatch(toEventBytes(events), { segment: 1, from: 0, to: events.length, epoch: 0 });
}

/** What comes of a request, once it has come to an end. */
function post(requests: Requests): { outcome?: Outcome } {
  const state: { outcome?: Outcome } = {};
  void requests.post(batch()).then((outcome) => {
    state.outcome = outcome;
  });
  return state;
}

describe('Requests', () => {
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

  it('leaves no timer and no listener behind', async () => {
    const { requests, clock, abort } = createBench();
    const added = vi.spyOn(abort.signal, 'addEventListener');
    const removed = vi.spyOn(abort.signal, 'removeEventListener');
    for (let count = 0; count < 10; count += 1) await requests.post(batch());
    expect(clock.timers).toBe(0);
    expect(added).toHaveBeenCalledTimes(10);
    expect(removed.mock.calls).toEqual(added.mock.calls);
  });

  it('keeps account of what it sends, and of how long answers take', async () => {
    const outcomes = [OK, answered(404), failed(true), answered(302)];
    const { requests, clock } = createBench(async () => {
      await clock.advance(20);
      return outcomes.shift();
    });
    const [first, second] = [batch('{"n":1}'), batch('{"n":2}')];
    for (const sent of [first, second, second, second]) {
      const { kind } = await requests.post(sent);
      if (kind === 'answered' && sent === first) requests.accepted(sent);
    }
    const bytes = 4 * '{"batch":[{"n":1}]}'.length;
    expect(requests.stats).toEqual({
      ...{ sent: 4, retried: 2, failed: 3, bytes },
      latencyMs: { p50: 20, p90: 20, p99: 20, max: 20 },
    });
  });

  it('hands on the whole body of an answer', async () => {
    const body = 'x'.repeat(60_000);
    const { requests } = createBench(() => answered(207, { body }));
    expect(await requests.post(batch())).toMatchObject({ body });
  });
});

describe('Requests, with an idempotency header', () => {
  it('sends an id that is equal over retries, and another with each batch', async () => {
    const { requests, seen } = createBench(() => OK, { idempotencyHeader: 'Idempotency-Key' });
    const [first, second] = [batch('{"n":1}'), batch('{"n":2}')];
    for (const sent of [first, second, first]) await requests.post(sent);
    const ids = seen.map(({ headers }) => headers['Idempotency-Key']);
    expect(ids[0]).toMatch(/-1-[0-9a-f]{8}$/);
    expect(ids[2]).toBe(ids[0]);
    expect(ids[1]).not.toBe(ids[0]);
    expect(seen[0]?.headers.authorization).toBe(`Api-Key ${KEY}`);
  });
});

describe('Requests, with another key', () => {
  it('sends later requests with it', async () => {
    const { requests, seen } = createBench();
    await requests.post(batch());
    requests.setApiKey('second');
    await requests.post(batch());
    const keys = seen.map(({ headers }) => headers.authorization);
    expect(keys).toEqual([`Api-Key ${KEY}`, 'Api-Key second']);
  });

  it('shows neither the new one nor those before it', async () => {
    const keys = [KEY, 'second/key', 'third"key'];
    const echo = `you sent ${keys.join(' and ')}, or ${encodeURIComponent('second/key')}`;
    const outcomes = [answered(401, { body: echo }), failed(false, new Error(echo))];
    const { requests } = createBench(() => outcomes.shift());
    for (const key of keys.slice(1)) requests.setApiKey(key);
    const answer = await requests.post(batch());
    const failure = await requests.post(batch());
    const shown = [JSON.stringify(answer), failure.kind === 'failed' && String(failure.cause)].join('\n');
    expect(shown.match(/you sent/g)).toHaveLength(2);
    for (const key of ['canary', 'second', 'third']) expect(shown).not.toContain(key);
  });

  it('may be given a new one as often as there is need', async () => {
    const { requests } = createBench(() => answered(401, { body: 'key-99999, key-99998' }));
    for (let number = 0; number < 100_000; number += 1) requests.setApiKey(`key-${number}`);
    expect(await requests.post(batch())).toMatchObject({ body: '[key], [key]' });
  });
});

describe('Requests, with a transport that breaks its word', () => {
  it('takes one that throws or rejects for a request that may have arrived', async () => {
    for (const respond of [() => expect.fail('mine'), () => Promise.reject(new Error('mine'))]) {
      const { requests, clock } = createBench(respond);
      const outcome = await requests.post(batch());
      expect(outcome).toMatchObject({ kind: 'failed', maybeSent: true, cause: { message: 'mine' } });
      expect(clock.timers).toBe(0);
    }
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a number', 200],
    ['a Response', { status: 200, ok: true }],
    ['an answer without a status', { kind: 'answered', body: '' }],
    ['a status that is no number', { kind: 'answered', status: '200', body: '' }],
    [
      'what throws when it is looked at',
      {
        get kind() {
          throw new Error('mine');
        },
      },
    ],
  ])('takes %s in place of an outcome for a request that may have arrived', async (_, nonsense) => {
    const { requests } = createBench(() => nonsense);
    expect(await requests.post(batch())).toMatchObject({ kind: 'failed', maybeSent: true });
  });

  it('takes an answer by its status where the rest of it is nonsense', async () => {
    const { requests } = createBench(() => ({ kind: 'answered', status: 429, retryAfter: 5 }));
    expect(await requests.post(batch())).toEqual(answered(429, { retryAfter: '5' }));
  });

  it('takes a failure that does not say whether the body was sent for one that may have arrived', async () => {
    const { requests } = createBench(() => ({ kind: 'failed' }));
    expect(await requests.post(batch())).toMatchObject({ kind: 'failed', maybeSent: true });
  });

  it('aborts one that gives no outcome in its time, and takes what it gives then', async () => {
    const { requests, clock } = createBench(hang);
    const state = post(requests);
    await clock.advance(14_999);
    expect(state.outcome).toBeUndefined();
    await clock.advance(1);
    expect(state.outcome).toMatchObject({ kind: 'failed', cause: { message: 'aborted' } });
    expect(clock.timers).toBe(0);
  });

  it('does not wait for one that does not end when it is told to', async () => {
    const { requests, clock } = createBench(() => new Promise(() => {}));
    const state = post(requests);
    await clock.advance(15_999);
    expect(state.outcome).toBeUndefined();
    await clock.advance(1);
    expect(state.outcome).toMatchObject({ kind: 'failed', maybeSent: true });
    expect(clock.timers).toBe(0);
  });

  it('is not disturbed by what it does after that', async () => {
    let end = (): void => {};
    const { requests, clock } = createBench(
      () =>
        new Promise((_, reject) => {
          end = () => reject(new Error('late'));
        }),
    );
    const state = post(requests);
    await clock.advance(16_000);
    const { outcome } = state;
    end();
    await settle();
    expect(state.outcome).toBe(outcome);
    expect(requests.stats.sent).toBe(1);
  });

  it('ends within a second of the end of all, whatever it does', async () => {
    const { requests, clock, abort } = createBench(() => new Promise(() => {}));
    const state = post(requests);
    await clock.advance(100);
    abort.abort();
    await clock.advance(1_000);
    expect(state.outcome).toMatchObject({ kind: 'failed' });
    const later = post(requests);
    await clock.advance(1_000);
    expect(later.outcome).toMatchObject({ kind: 'failed' });
    expect(clock.timers).toBe(0);
  });

  it('still takes an answer that comes with the end of all', async () => {
    const { requests, clock, abort } = createBench(async (request) => {
      await hang(request);
      return OK;
    });
    const state = post(requests);
    await clock.advance(100);
    abort.abort();
    await settle();
    expect(state.outcome).toEqual(OK);
  });
});
