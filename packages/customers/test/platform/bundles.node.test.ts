import { startEmulator } from '@sluice/emulator';
import { systemClock } from '@sluice/protocol/toolbox';
import { describe, expect, it } from 'vitest';
import { BareContext, bundle } from '../../../../testing/bare-context.ts';
import type { CustomerReader } from '../../src/index.ts';

const ADA = { email: 'ada@example.com', first_name: 'Ada' };
const GOOD = `apiUrl: 'http://127.0.0.1:4200', apiKey: 'k'`;

function bundleFor(...conditions: readonly string[]): Promise<string> {
  return bundle(new URL('./all-of-it.ts', import.meta.url), conditions);
}

/** Runs code where there is no module of Node, and nothing but the bundle. */
function run(code: string, script: string, values = {}): unknown {
  const context = new BareContext(script);
  context.isInRequest = true;
  return context.run(code, values);
}

describe.each(['workerd', 'edge-light', 'worker', 'browser'])('a bundle for %s', async (condition) => {
  const script = await bundleFor(condition);

  it('stands alone, without undici, and reads with the global fetch', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA] });
    const { apiUrl, apiKey } = emulator;
    const reader = run('sluice.createCustomerReader({ apiUrl, apiKey })', script, { apiUrl, apiKey });
    expect(await (reader as CustomerReader).read(ADA.email)).toMatchObject(ADA);
    // undici alone has a million.
    expect(script.length).toBeLessThan(60_000);
  });
});

it.each(['workerd', 'edge-light', 'worker'])('a bundle for %s has all parts', async (condition) => {
  const script = await bundleFor(condition);
  const keys = run(
    `Object.keys(sluice.createCustomerReader({ ${GOOD}, cache: { ttlMs: 5 }, concurrency: 2 }))`,
    script,
  );
  expect(keys).toEqual(['read', 'cache']);
  expect(() => run(`sluice.createCustomerReader({ ${GOOD}, retries: -1 })`, script)).toThrow(
    'retries must be a whole number from 0 to 1000',
  );
});

describe('a reader on the edge, where the end of a request drops the reads that it began', async () => {
  type Sluice = typeof import('../../src/index.ts');
  const { createCustomerReader } = run('sluice', await bundleFor('workerd')) as Sluice;

  it('reads again what was dropped, and everything else', async () => {
    let isOver = true;
    let sent = 0;
    const reader = createCustomerReader({
      ...{ apiUrl: 'http://127.0.0.1:4200', apiKey: 'k', cache: { ttlMs: 60_000 } },
      fetch() {
        sent += 1;
        return isOver ? new Promise(() => {}) : Promise.resolve(Response.json(ADA));
      },
      clock: {
        now: () => 0,
        setTimeout: (...timer) => (isOver ? { cancel() {} } : systemClock.setTimeout(...timer)),
      },
    });
    for (let key = 0; key < 100; key += 1) void reader.read(`${key}`);
    isOver = false;
    for (const key of ['0', '99', 'new']) expect(await reader.read(key)).toEqual(ADA);
    for (const key of ['0', '99', 'new']) await reader.read(key);
    expect(sent).toBe(103);
  });

  it('keeps no answer to a read that began before delete()', async () => {
    const answers: ((response: Response) => void)[] = [];
    const reader = createCustomerReader({
      ...{ apiUrl: 'http://127.0.0.1:4200', apiKey: 'k', cache: { ttlMs: 60_000 } },
      fetch: () => new Promise((resolve) => answers.push(resolve)),
    });
    const before = reader.read('a');
    reader.cache.delete('a');
    answers[0]?.(Response.json({ old: true }));
    expect(await before).toEqual({ old: true });
    const after = reader.read('a');
    answers[1]?.(Response.json({ old: false }));
    expect([await after, await reader.read('a')]).toEqual([{ old: false }, { old: false }]);
  });
});

describe('a bundle for a page', () => {
  const production = bundleFor('browser', 'production');

  it.each([
    ['cache: { ttlMs: 5 }', 'cache'],
    ['concurrency: 2', 'concurrency'],
  ])('without the part that an option needs names its import: %s', async (option, part) => {
    const script = await production;
    expect(() => run(`sluice.createCustomerReader({ ${GOOD}, ${option} })`, script)).toThrow(
      `${part} needs a part here: give parts: { ${part} }, from @sluice/customers/${part}`,
    );
    const given = `sluice.createCustomerReader({ ${GOOD}, ${option}, parts: { ${part}: sluice.${part} } })`;
    expect(() => run(given, script)).not.toThrow();
  });

  it('without the part for schemas rejects a read that has one, and names the import', async () => {
    const read = `sluice.createCustomerReader({ ${GOOD} }).read('a', { schema: {} })`;
    await expect(run(read, await production)).rejects.toThrow(
      'schema needs a part here: give parts: { schema }, from @sluice/customers/schema',
    );
  });

  it('checks all options in a development build, or with the part for it', async () => {
    const wrong = `sluice.createCustomerReader({ ${GOOD}, retries: -1, parts: { checked: PART } })`;
    const message = 'retries must be a whole number from 0 to 1000, got number -1';
    const development = await bundleFor('browser', 'development');
    expect(() => run(wrong.replace('PART', 'undefined'), development)).toThrow(message);
    const small = await production;
    expect(() => run(wrong.replace('PART', 'sluice.checked'), small)).toThrow(message);
  });

  it.each([
    ['an option', `createCustomerReader({ ${GOOD}, parts, timeoutMs: KEY })`],
    ['the name of an option', `createCustomerReader({ ${GOOD}, parts, [KEY]: 1 })`],
    ['an option of a read', `createCustomerReader({ ${GOOD}, parts }).read('a', { signal: KEY })`],
  ])('with the part that checks options shows no key that is in the place of %s', async (_, call) => {
    const code = `
      const KEY = 'canary-5f2d';
      const parts = { checked: sluice.checked };
      (async () => sluice.${call.replace(`'k'`, 'KEY')})()`;
    await expect(run(code, await production)).rejects.toThrow(/^(?!.*canary).*\[key]/);
  });

  it('takes no option from Object.prototype', async () => {
    const code = `Object.prototype.timeoutMs = 1; Object.prototype.cache = { ttlMs: 5 };
      Object.keys(sluice.createCustomerReader({ ${GOOD} }))`;
    expect(run(code, await production)).toEqual(['read']);
  });
});
