import { type Emulator, startEmulator } from '@sluice/emulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BareContext, bundleFor } from './bare-context.ts';

/** The code of a worker, as its author writes it. It handles requests, and makes a tracker for each. */
const WORKER = `
  function create(options) {
    return sluice.createTracker({ baseUrl, apiKey, correlationKey: 'email', ...options });
  }
  async function handle(request, context) {
    const tracker = create({ waitUntil: (work) => context.waitUntil(work) });
    for (let number = 0; number < 100; number += 1) {
      tracker.track(name, { number }, { correlationValue: 'ada@example.com' });
    }
    return new Response('taken');
  }
`;

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({ primaryKey: 'email', compression: true });
});
afterAll(() => emulator.close());

function load(bundle: string, name: string): BareContext {
  const context = new BareContext(bundle);
  context.run(WORKER, { baseUrl: emulator.baseUrl, apiKey: emulator.apiKey, name });
  return context;
}

describe.each(['workerd', 'edge-light', 'worker', 'browser'])('a bundle for %s', async (condition) => {
  const bundle = await bundleFor(condition);

  it('does nothing when it is imported, nor when a tracker is made: no I/O, no timer, no random number', async () => {
    const context = load(bundle, 'unused');
    context.run('globalThis.tracker = create()');
    await new Promise((resolve) => setImmediate(resolve));
    expect(context.refused).toEqual([]);
    expect(context.timers.size).toBe(0);
    expect(context.run('tracker.stats().journal')).toBe('memory');
  });

  it('delivers, and leaves no timer behind when it has flushed or closed', async () => {
    const name = `flushed on ${condition}`;
    const context = load(bundle, name);
    context.isInRequest = true;
    for (const end of ['flush', 'close']) {
      const track = `tracker.track(name, {}, { correlationValue: 'ada@example.com' })`;
      const report = await context.run(
        `{ const tracker = create({ storage: { maxAgeMs: 60_000 } });
           for (let number = 0; number < 1_000; number += 1) ${track};
           tracker.${end}(); }`,
      );
      expect(report).toEqual({ delivered: 1_000, deadLettered: 0, dropped: 0, pending: 0 });
      expect(context.timers.size).toBe(0);
    }
    expect(await emulator.countEvents({ name })).toEqual({ unique: 2_000, received: 2_000 });
  });

  it('gives the host, before the response is there, what is to be waited for after it', async () => {
    const name = `handed over on ${condition}`;
    const context = load(bundle, name);
    context.isInRequest = true;
    const works: Promise<unknown>[] = [];
    let isAnswered = false;
    const host = {
      waitUntil: (work: Promise<unknown>) => {
        if (isAnswered) throw new Error('the request is over');
        works.push(work);
      },
    };
    const response = (await context.run('handle(undefined, host)', { host })) as Response;
    isAnswered = true;
    expect(await response.text()).toBe('taken');
    expect(works).toHaveLength(1);
    await Promise.all(works);
    expect(context.timers.size).toBe(0);
    // Here the host freezes the worker: unfinished work stays unfinished.
    context.isInRequest = false;
    expect(await emulator.countEvents({ name })).toEqual({ unique: 100, received: 100 });
    expect(context.refused).toEqual([]);
  });
});

describe('a bundle for a page', async () => {
  const bundle = await bundleFor('browser');

  it.each([
    ['compress: true', 'compress', 'gzip'],
    ['logger: console', 'logger', 'logger'],
    ['transport: { post() {}, close() {} }', 'transport', 'guards'],
    ['clock: { now: Date.now, setTimeout() {} }', 'clock', 'guards'],
    ['random: Math.random', 'random', 'guards'],
    ['delivery: { policy: { 409: "accept" } }', 'delivery.policy', 'policy'],
    ['delivery: { classify() {} }', 'delivery.classify', 'classify'],
    ['delivery: { idempotencyHeader: "Idempotency-Key" }', 'delivery.idempotencyHeader', 'idempotency'],
  ])('says which part it needs for %s', (given, option, part) => {
    const context = load(bundle, 'unused');
    expect(context.run(`try { create({ ${given} }) } catch (error) { error.message }`)).toBe(
      `${option} needs a part here: give parts: { ${part} }, from @sluice/core/${part}`,
    );
  });

  it('keeps dead letters, and says which part it needs to show them', () => {
    const context = load(bundle, 'unused');
    expect(context.run('try { create().deadLetters } catch (error) { error.message }')).toBe(
      'tracker.deadLetters needs a part here: give parts: { deadLetters }, from @sluice/core/dead-letters',
    );
  });
});
