import { describe, expect, it } from 'vitest';
import type { Clock, FetchResponse } from '../src/index.ts';
import { ADA, json, rejection, type Step, scripted, TIMEOUT_MS } from './scripted-fetch.ts';

function answer(status: number, headers?: Record<string, string>): Step {
  return () => json({ status }, { status, ...(headers && { headers }) });
}

const hang: Step = () => new Promise<FetchResponse>(() => {});

describe('a read that fails', () => {
  it.each([408, 425, 429, 500, 502, 503, 504, 520, 599])('with %i is tried again', async (status) => {
    const { reader, sent } = scripted([answer(status), answer(status), () => json(ADA)]);
    expect(await reader.read('a')).toEqual(ADA);
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ request }) => request.body)).size).toBe(1);
  });

  it.each([400, 401, 402, 403, 404, 405, 409, 410, 413, 415, 422, 451, 501])(
    'with %i is not tried again',
    async (status) => {
      const { reader, sent } = scripted([answer(status), () => json(ADA)]);
      expect(await rejection(reader.read('a'))).toMatchObject({ status });
      expect(sent).toHaveLength(1);
    },
  );

  it('on the network is tried again, whatever fetch throws', async () => {
    const failing: Step = () => {
      throw new TypeError('fetch failed');
    };
    const odd: Step = () => Promise.reject(undefined);
    const { reader, sent } = scripted([failing, odd, () => json(ADA)]);
    expect(await reader.read('a')).toEqual(ADA);
    expect(sent).toHaveLength(3);
  });

  it('in the middle of a body is tried again', async () => {
    const cut: Step = () => ({
      status: 200,
      headers: new Headers(),
      body: { getReader: () => ({ read: () => Promise.reject(new Error('terminated')) }) },
    });
    const { reader, sent } = scripted([cut, () => json(ADA)]);
    expect(await reader.read('a')).toEqual(ADA);
    expect(sent).toHaveLength(2);
  });

  it('waits with full jitter, each time up to twice as long', async () => {
    const { reader, clock } = scripted([answer(503)], { retries: 9 });
    await rejection(reader.read('a'));
    expect(clock.delays).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  it('is given up after three retries, with the last failure', async () => {
    const { reader, sent } = scripted([answer(500), answer(500), answer(500), answer(503), () => json(ADA)]);
    expect(await rejection(reader.read('a'))).toMatchObject({
      code: 'SLUICE_DELIVERY',
      status: 503,
      retryable: true,
    });
    expect(sent).toHaveLength(4);
  });

  it('is not tried again where no retries are wanted', async () => {
    const { reader, sent } = scripted([answer(503), () => json(ADA)], { retries: 0 });
    expect(await rejection(reader.read('a'))).toMatchObject({ status: 503, retryable: true });
    expect(sent).toHaveLength(1);
  });

  it('leaves no timer behind', async () => {
    const { reader, clock } = scripted([answer(503), () => json(ADA)]);
    await reader.read('a');
    expect(clock.pending).toBe(0);
  });
});

describe('Retry-After', () => {
  it('in seconds or as a date is waited for, and up to a fifth more', async () => {
    const date = 'Sat, 21 Nov 2026 10:15:43 GMT';
    const { reader, clock } = scripted([
      answer(429, { 'retry-after': '2' }),
      answer(503, { 'retry-after': date }),
      () => json(ADA),
    ]);
    expect(await reader.read('a')).toEqual(ADA);
    // The date is 13 s ahead at first. The first wait takes 2.2 s, which leaves 10.8 s; a tenth more is 11.88 s.
    expect(clock.delays).toEqual([2200, 11_880]);
  });

  it('that makes no sense is ignored', async () => {
    const { reader, clock } = scripted([answer(503, { 'retry-after': 'soon 2099' }), () => json(ADA)]);
    await reader.read('a');
    expect(clock.delays).toEqual([250]);
  });

  it('that is too long ends the read, and is passed on', async () => {
    const { reader, sent, clock } = scripted([answer(503, { 'retry-after': '61' }), () => json(ADA)]);
    const error = await rejection(reader.read('a'));
    expect(error).toMatchObject({ status: 503, retryable: true, retryAfterMs: 61_000 });
    expect(sent).toHaveLength(1);
    expect(clock.delays).toEqual([]);
  });

  it('may be as long as the caller allows', async () => {
    const options = { maxRetryAfterMs: 3_600_000 };
    const { reader, clock } = scripted([answer(503, { 'retry-after': '3600' }), () => json(ADA)], options);
    expect(await reader.read('a')).toEqual(ADA);
    expect(clock.delays).toEqual([3_960_000]);
  });
});

describe('an attempt', () => {
  it('that takes too long is ended and tried again, also where fetch does not heed its signal', async () => {
    const { reader, clock, sent } = scripted([hang, () => json(ADA)]);
    const read = reader.read('a');
    clock.advance(TIMEOUT_MS - 1);
    expect(sent[0]?.request.signal.aborted).toBe(false);
    clock.advance(1);
    expect(await read).toEqual(ADA);
    expect(sent[0]?.request.signal.aborted).toBe(true);
  });

  it('that takes too long says so', async () => {
    const { reader, clock } = scripted([hang], { retries: 0 });
    const read = rejection(reader.read('a'));
    clock.advance(TIMEOUT_MS);
    expect(await read).toMatchObject({
      code: 'SLUICE_DELIVERY',
      message: 'POST http://127.0.0.1:4200/customers/read timed out after 1000000000 ms',
      status: undefined,
      retryable: true,
    });
  });

  it('has a body that counts towards its time', async () => {
    const body = { getReader: () => ({ read: () => new Promise<never>(() => {}) }) };
    const { reader, clock } = scripted([() => ({ status: 200, headers: new Headers(), body })], {
      retries: 0,
    });
    const read = rejection(reader.read('a'));
    await Promise.resolve();
    clock.advance(TIMEOUT_MS);
    expect(await read).toMatchObject({ code: 'SLUICE_DELIVERY', retryable: true });
  });

  it('is aborted when its only caller leaves', async () => {
    const { reader, sent, clock } = scripted([hang]);
    const controller = new AbortController();
    const read = rejection(reader.read('a', { signal: controller.signal }));
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await read).toBe(reason);
    expect(sent[0]?.request.signal.aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });
});

it('a wait before a retry ends when the only caller leaves, and nothing more is sent', async () => {
  const controller = new AbortController();
  let cancelled = 0;
  const clock: Clock = {
    now: () => 0,
    setTimeout(_callback, delayMs) {
      if (delayMs < TIMEOUT_MS) queueMicrotask(() => controller.abort());
      return { cancel: () => (cancelled += 1) };
    },
  };
  const { reader, sent } = scripted([answer(503)], { clock });
  const error = await rejection(reader.read('a', { signal: controller.signal }));
  expect(error).toMatchObject({ name: 'AbortError' });
  expect(sent).toHaveLength(1);
  // The timer of the attempt, and the timer of the wait.
  expect(cancelled).toBe(2);
});
