import { type Emulator, startEmulator } from '@sluice/emulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BareContext, bundle as bundleFile } from '../../../../testing/bare-context.ts';
import type { FlushReport, TrackerStats } from '../../src/index.ts';

/** The code of a worker, as its author writes it. It handles requests, and makes a tracker for each. */
const WORKER = `
  function create(options) {
    return sluice.createTracker({ baseUrl, apiKey, correlationKey: 'email', ...options });
  }
  async function handle(request, context) {
    const tracker = create({ waitUntil: (work) => context.waitUntil(work), parts: { waitUntil: sluice.waitUntil } });
    for (let number = 0; number < 100; number += 1) {
      tracker.track(name, { number }, { correlationValue: 'ada@example.com' });
    }
    return new Response('taken');
  }
`;

function bundleFor(...conditions: readonly string[]): Promise<string> {
  return bundleFile(new URL('./all-of-it.ts', import.meta.url), conditions);
}

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({ primaryKey: 'email', behaviour: { compression: true } });
});
afterAll(() => emulator.close());

function load(bundle: string, name: string): BareContext {
  const context = new BareContext(bundle);
  context.run(WORKER, { baseUrl: emulator.baseUrl, apiKey: emulator.apiKey, name });
  return context;
}

describe.each(['workerd', 'edge-light', 'worker'])('a bundle for %s', async (condition) => {
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
        `{ const tracker = create({ storage: { maxAgeMs: 60_000 }, parts: { bounds: sluice.bounds } });
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

describe.each(['workerd', 'edge-light', 'worker'])('an option that %s does not have', async (condition) => {
  const bundle = await bundleFor(condition);
  /** The message of the ConfigError for these delivery options. */
  const refusal = (context: BareContext, delivery: string) =>
    context.run(`try { create({ delivery: ${delivery} }).stats().pause } catch (error) { error.message }`);

  it('is refused: connect and dispatcher are for Node', () => {
    const context = load(bundle, 'unused');
    for (const name of ['connect', 'dispatcher'])
      expect(refusal(context, `{ ${name}: {} }`)).toBe(
        `delivery.${name} must be absent, except in Node, got an object`,
      );
  });

  it('is refused: credentials, where requests have none', () => {
    const context = load(bundle, 'unused');
    expect(refusal(context, '{ credentials: "include" }')).toBeUndefined();
    context.run('Request = class {}');
    expect(refusal(context, '{ credentials: "include" }')).toBe(
      'delivery.credentials must be absent in a runtime without cookies: give delivery.headers a cookie',
    );
  });
});

describe('a bundle for a page', async () => {
  const bundle = await bundleFor('browser');

  it.each([
    ['compress: true', 'compress', 'gzip'],
    ['logger: console', 'logger', 'logger'],
    ['transport: { post() {}, close() {} }', 'transport', 'guards'],
    ['destination: { path: "/collect" }', 'destination', 'destination'],
    ['storage: { maxBytes: 1_000_000 }', 'storage', 'bounds'],
    ['delivery: { classify() {} }', 'delivery.classify', 'classify'],
    ['delivery: { idempotencyHeader: "Idempotency-Key" }', 'delivery.idempotencyHeader', 'idempotency'],
  ])('says which part it needs for %s', (given, option, part) => {
    const context = load(bundle, 'unused');
    expect(context.run(`try { create({ ${given} }) } catch (error) { error.message }`)).toBe(
      `${option} needs a part here: give parts: { ${part} }, from @sluice/core/${part}`,
    );
  });

  it.each([
    ['remembers which size the service takes', '{ learn: sluice.learn }', expect.any(Number)],
    ['delivers all without that, too', '{}', undefined],
  ])('%s, with the parts %s', async (_, parts, bodyLimit) => {
    const service = await startEmulator({ primaryKey: 'email', behaviour: { maxBodyBytes: 20_000 } });
    const context = new BareContext(bundle);
    context.isInRequest = true;
    context.run(WORKER, { baseUrl: service.baseUrl, apiKey: service.apiKey, name: 'in small bodies' });
    const track = `tracker.track(name, { number }, { correlationValue: 'ada@example.com' })`;
    const { report, stats } = (await context.run(
      `(async () => {
         const tracker = create({ parts: ${parts} });
         for (let number = 0; number < 1_000; number += 1) ${track};
         const report = await tracker.close();
         return { report, stats: tracker.stats() };
       })()`,
    )) as { report: FlushReport; stats: TrackerStats };
    expect(report).toEqual({ delivered: 1_000, deadLettered: 0, dropped: 0, pending: 0 });
    expect(stats.bodyLimit).toEqual(bodyLimit);
    expect(await service.countEvents({ name: 'in small bodies' })).toEqual({
      unique: 1_000,
      received: 1_000,
    });
    await service.close();
  });

  it('keeps dead letters, and says which part it needs to show them', () => {
    const context = load(bundle, 'unused');
    context.isInRequest = true;
    expect(context.run('try { create().deadLetters } catch (error) { error.message }')).toBe(
      'tracker.deadLetters needs a part here: give parts: { deadLetters }, from @sluice/core/dead-letters',
    );
  });
});

describe('a wrong option', async () => {
  const wrong = '{ maxEvents: 5, batch: { maxWait: 1 } }';
  const refusal = `try { create(options) } catch ({ code, message }) { [code, message].join(': ') }`;

  it.each([
    ['a development build of a page', ['browser', 'development'], wrong],
    ['a page with the part for it', ['browser'], `{ ...${wrong}, parts: { checked: sluice.checked } }`],
    ['an edge runtime', ['workerd'], wrong],
  ])('is refused by name in %s', async (_, conditions, options) => {
    const context = load(await bundleFor(...conditions), 'unused');
    context.run(`globalThis.options = ${options}`);
    expect(context.run(refusal)).toMatch(
      /^SLUICE_CONFIG: maxEvents is not an option; (there are baseUrl,|did you mean buffer.maxEvents)/,
    );
  });

  it('is let pass in a production build of a page', async () => {
    const context = load(await bundleFor('browser', 'production'), 'unused');
    context.run(`globalThis.options = { ...${wrong}, compress: true }`);
    expect(context.run(refusal)).toMatch(/^SLUICE_CONFIG: compress needs a part here/);
  });
});
