import { describe, expect, it } from 'vitest';
import { sharedRequests } from '../src/shared-requests.ts';
import { ADA, json, rejection, scripted } from './scripted-fetch.ts';

interface Started {
  readonly key: string;
  readonly signal: AbortSignal;
  readonly resolve: (text: string) => void;
  readonly reject: (error: Error) => void;
}

/** Shared requests that the test itself answers. */
function byHand(): { request: ReturnType<typeof sharedRequests>; started: Started[] } {
  const started: Started[] = [];
  const request = sharedRequests(
    (key, signal) => new Promise((resolve, reject) => started.push({ key, signal, resolve, reject })),
    new Map(),
  );
  return { request, started };
}

describe('reads of one key at one time', () => {
  it('share one request, and each gets its own object', async () => {
    const { reader, sent } = scripted([() => json(ADA)]);
    const customers = await Promise.all(Array.from({ length: 50 }, () => reader.read('a')));
    expect(sent).toHaveLength(1);
    expect(new Set(customers).size).toBe(50);
    for (const customer of customers) expect(customer).toEqual(ADA);
  });

  it('share a failure, and the next read asks anew', async () => {
    const { reader, sent } = scripted([() => json({}, { status: 400 }), () => json(ADA)]);
    const [first, second] = await Promise.all([rejection(reader.read('a')), rejection(reader.read('a'))]);
    expect(first).toMatchObject({ status: 400 });
    expect(second).toMatchObject({ status: 400 });
    expect(await reader.read('a')).toEqual(ADA);
    expect(sent).toHaveLength(2);
  });

  it('of different keys do not share', async () => {
    const { reader, sent } = scripted([() => json(ADA)]);
    await Promise.all([reader.read('a'), reader.read('b'), reader.read('__proto__')]);
    expect(sent).toHaveLength(3);
  });
});

describe('a shared request', () => {
  it('goes on for the others when one leaves', async () => {
    const { request, started } = byHand();
    const leaver = new AbortController();
    const left = rejection(request('a', leaver.signal));
    const stayed = request('a', undefined);
    const reason = new Error('enough');
    leaver.abort(reason);
    expect(await left).toBe(reason);
    expect(started[0]?.signal.aborted).toBe(false);
    started[0]?.resolve('text');
    expect(await stayed).toBe('text');
    expect(started).toHaveLength(1);
  });

  it('is aborted when the last one leaves', async () => {
    const { request, started } = byHand();
    const controllers = [new AbortController(), new AbortController()];
    const left = controllers.map(({ signal }) => rejection(request('a', signal)));
    controllers[0]?.abort();
    expect(started[0]?.signal.aborted).toBe(false);
    controllers[1]?.abort();
    expect(started[0]?.signal.aborted).toBe(true);
    for (const error of await Promise.all(left)) expect(error).toMatchObject({ name: 'AbortError' });
  });

  it('that was aborted is not joined by those who come later', async () => {
    const { request, started } = byHand();
    const controller = new AbortController();
    const left = rejection(request('a', controller.signal));
    controller.abort();
    const later = request('a', undefined);
    expect(started).toHaveLength(2);
    started[0]?.reject(new Error('aborted'));
    await left;
    const third = request('a', undefined);
    expect(started).toHaveLength(2);
    started[1]?.resolve('text');
    expect(await Promise.all([later, third])).toEqual(['text', 'text']);
  });

  it('is not disturbed by a signal that aborts after the answer', async () => {
    const { request, started } = byHand();
    const controller = new AbortController();
    const first = request('a', controller.signal);
    started[0]?.resolve('1');
    expect(await first).toBe('1');
    const second = request('a', undefined);
    controller.abort();
    expect(started[1]?.signal.aborted).toBe(false);
    started[1]?.resolve('2');
    expect(await second).toBe('2');
  });
});
