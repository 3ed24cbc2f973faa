import { describe, expect, it, vi } from 'vitest';
import { settle, VirtualClock } from '../../src/entries/testing/virtual-clock.ts';
import { guards } from '../../src/parts/guards.ts';
import type { Outcome, Transport, TransportRequest } from '../../src/send/http/transport.ts';
import { answered, hang } from '../bench/scripted-transport.ts';

const OK = answered(200);

interface Bench {
  readonly clock: VirtualClock;
  readonly abort: AbortController;
  readonly seen: TransportRequest[];
  readonly post: () => Promise<Outcome>;
}

function guarded(transport: Transport, clock = new VirtualClock()): Transport {
  return guards(transport, clock, (text) => text).transport ?? expect.fail();
}

/** A user's transport, made from a function, and a request to it. */
function createBench(respond: (request: TransportRequest) => unknown = () => OK): Bench {
  const clock = new VirtualClock();
  const abort = new AbortController();
  const seen: TransportRequest[] = [];
  const post = (request: TransportRequest) => {
    seen.push(request);
    return respond(request) as Promise<Outcome>;
  };
  const transport = guarded({ post, close: async () => {} }, clock);
  const request: TransportRequest = {
    ...{ url: 'https://example.com/api/events/batch/', headers: { authorization: 'Api-Key mine' } },
    ...{ body: new Uint8Array(2), signal: abort.signal },
    timeouts: { connectMs: 1_000, headersMs: 2_000, bodyMs: 3_000, totalMs: 10_000 },
  };
  return { clock, abort, seen, post: () => transport.post(request) };
}

/** The outcome of a request, once it has ended. */
function watch(posted: Promise<Outcome>): { outcome?: Outcome } {
  const state: { outcome?: Outcome } = {};
  void posted.then((outcome) => {
    state.outcome = outcome;
  });
  return state;
}

describe('a guarded transport', () => {
  it('hands on the request and what comes of it', async () => {
    const { post, seen } = createBench();
    expect(await post()).toEqual(OK);
    expect(seen).toMatchObject([
      { headers: { authorization: 'Api-Key mine' }, timeouts: { totalMs: 10_000 } },
    ]);
  });

  it('hands on whether something here blocks requests, and how much outlives a page', async () => {
    const { post } = createBench(() => ({
      kind: 'failed',
      cause: 'mine',
      maybeSent: false,
      isBlocked: true,
    }));
    expect(await post()).toEqual({ kind: 'failed', cause: 'mine', maybeSent: false, isBlocked: true });
    const mine = { post: () => Promise.reject(), close: async () => {} };
    const rooms: [Transport['room'], number][] = [
      [() => 7, 7],
      [undefined, 0],
      [() => expect.fail('mine'), 0],
      [() => Number.NaN, 0],
    ];
    for (const [room, bytes] of rooms) {
      expect(guarded(room ? { ...mine, room } : mine).room?.()).toBe(bytes);
    }
  });

  it('leaves no timer and no listener behind', async () => {
    const { post, clock, abort } = createBench();
    const added = vi.spyOn(abort.signal, 'addEventListener');
    const removed = vi.spyOn(abort.signal, 'removeEventListener');
    for (let count = 0; count < 10; count += 1) await post();
    expect(clock.timers).toBe(0);
    expect(added).toHaveBeenCalledTimes(10);
    expect(removed.mock.calls).toEqual(added.mock.calls);
  });

  it('hands on headers of which each request has its own', async () => {
    const keys: unknown[] = [];
    const { post } = createBench(({ headers }) => {
      keys.push(headers.authorization);
      Reflect.deleteProperty(headers, 'authorization');
      return OK;
    });
    await post();
    await post();
    expect(keys).toEqual(['Api-Key mine', 'Api-Key mine']);
  });
});

describe('a guarded transport that breaks its word', () => {
  it('takes one that throws or rejects for a request that may have arrived', async () => {
    for (const respond of [() => expect.fail('mine'), () => Promise.reject(new Error('mine'))]) {
      const { post, clock } = createBench(respond);
      const outcome = await post();
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
    const { post } = createBench(() => nonsense);
    expect(await post()).toMatchObject({ kind: 'failed', maybeSent: true });
  });

  it('takes an answer by its status where the rest of it is nonsense', async () => {
    const { post } = createBench(() => ({ kind: 'answered', status: 429, retryAfter: 5 }));
    expect(await post()).toEqual(answered(429, { retryAfter: '5' }));
  });

  it.each<[string, unknown]>([
    ['NaN', Number.NaN],
    ['0', 0],
    ['false', false],
    ['null', null],
    ['what cannot become a text', { toString: 1 }],
  ])('takes a header that is %s as absent', async (_, nonsense) => {
    const headers = { retryAfter: nonsense, date: nonsense, location: nonsense, from: nonsense };
    const { post } = createBench(() => ({ kind: 'answered', status: 429, body: '', ...headers }));
    expect(await post()).toEqual(answered(429));
  });

  it('takes a failure that does not say whether the body was sent for one that may have arrived', async () => {
    const { post } = createBench(() => ({ kind: 'failed' }));
    expect(await post()).toMatchObject({ kind: 'failed', maybeSent: true });
  });

  it('aborts one that gives no outcome in its time, and takes what it gives then', async () => {
    const { post, clock } = createBench(hang);
    const state = watch(post());
    await clock.advance(14_999);
    expect(state.outcome).toBeUndefined();
    await clock.advance(1);
    expect(state.outcome).toMatchObject({ kind: 'failed', cause: { message: 'aborted' } });
    expect(clock.timers).toBe(0);
  });

  it('does not wait for one that does not end when it is told to', async () => {
    const { post, clock } = createBench(() => new Promise(() => {}));
    const state = watch(post());
    await clock.advance(15_999);
    expect(state.outcome).toBeUndefined();
    await clock.advance(1);
    expect(state.outcome).toMatchObject({ kind: 'failed', maybeSent: true });
    expect(clock.timers).toBe(0);
  });

  it('is not disturbed by what it does after that', async () => {
    let end = (): void => {};
    const { post, clock } = createBench(
      () =>
        new Promise((_, reject) => {
          end = () => reject(new Error('late'));
        }),
    );
    const state = watch(post());
    await clock.advance(16_000);
    const { outcome } = state;
    end();
    await settle();
    expect(state.outcome).toBe(outcome);
  });

  it('ends within a second of the end of all, whatever it does', async () => {
    const { post, clock, abort } = createBench(() => new Promise(() => {}));
    const state = watch(post());
    await clock.advance(100);
    abort.abort();
    await clock.advance(1_000);
    expect(state.outcome).toMatchObject({ kind: 'failed' });
    const later = watch(post());
    await clock.advance(1_000);
    expect(later.outcome).toMatchObject({ kind: 'failed' });
    expect(clock.timers).toBe(0);
  });

  it('still takes an answer that comes with the end of all', async () => {
    const { post, clock, abort } = createBench(async (request) => {
      await hang(request);
      return OK;
    });
    const state = watch(post());
    await clock.advance(100);
    abort.abort();
    await settle();
    expect(state.outcome).toEqual(OK);
  });
});
