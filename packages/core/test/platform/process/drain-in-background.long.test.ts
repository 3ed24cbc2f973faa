import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Emulator, startEmulator } from '@sluice/emulator';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../../testing/patience.ts';
import { createTracker } from '../../../src/index.ts';

const core = new URL('../../../dist/index.js', import.meta.url).href;
const PEM = fileURLToPath(new URL('../../hostile/self-signed.pem', import.meta.url));

let emulator: Emulator;
let directory = '';

beforeAll(async () => {
  emulator = await startEmulator({ primaryKey: 'email' });
});
afterAll(() => emulator.close());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-'));
});
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));

/**
 * Runs a command-line tool that tracks and ends at once. Returns what `drainInBackground()` says.
 *
 * @param options Or their code.
 * @param last Code that the tool runs before the end. @param first And at its start.
 */
async function runTool(
  name: string,
  options: object | string,
  payload: object = {},
  last: string = '',
  first: string = '',
): Promise<string> {
  const code = `
    ${first}
    const { createTracker } = await import(${JSON.stringify(core)});
    const tracker = createTracker(${typeof options === 'string' ? options : JSON.stringify(options)});
    tracker.track(${JSON.stringify(name)}, ${JSON.stringify(payload)}, { correlationValue: 'ada@example.com' });
    ${last}
    console.log(tracker.drainInBackground());
    process.exit();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]);
  return stdout.trim();
}

describe('drainInBackground', () => {
  it('delivers what tools left that ended at once, each event once, and leaves nothing behind', async () => {
    const { baseUrl, apiKey } = emulator;
    const journalDirectory = join(directory, 'journal');
    const options = { baseUrl, apiKey, correlationKey: 'email', journalDirectory };
    const names = ['first', 'second', 'third'];
    const started = await Promise.all(names.map((name) => runTool(name, options)));
    expect(started).toEqual(['true', 'true', 'true']);
    await vi.waitFor(async () => {
      for (const name of names)
        expect(await emulator.countEvents({ name })).toEqual({ unique: 1, received: 1 });
    }, PATIENCE);
    await vi.waitFor(async () => expect(await readdir(journalDirectory)).toEqual([]), PATIENCE);
  });

  it.each([
    ['that changed its directory', {}, 'process.chdir("sub");'],
    ['with a short `retryMaxMs`', { delivery: { retryMaxMs: 200 } }, ''],
  ])('delivers what a tool left %s', async (name, more, last) => {
    const { baseUrl, apiKey } = emulator;
    await mkdir(join(directory, 'sub'));
    const options = { baseUrl, apiKey, correlationKey: 'email', journalDirectory: 'journal', ...more };
    const first = `process.chdir(${JSON.stringify(directory)});`;
    expect(await runTool(name, options, {}, last, first)).toBe('true');
    await vi.waitFor(
      async () => expect(await emulator.countEvents({ name })).toEqual({ unique: 1, received: 1 }),
      PATIENCE,
    );
  });

  it('has the key that the tool set last', async () => {
    const { baseUrl, apiKey } = emulator;
    const options = { baseUrl, correlationKey: 'email', journalDirectory: join(directory, 'journal') };
    expect(await runTool('later key', options, {}, `tracker.setApiKey('${apiKey}');`)).toBe('true');
    const arrived = { unique: 1, received: 1 };
    await vi.waitFor(
      async () => expect(await emulator.countEvents({ name: 'later key' })).toEqual(arrived),
      PATIENCE,
    );
  });

  it('keeps what the service refuses within the limits that the tool gave', async () => {
    const server = createServer(async (request, response) => {
      response.writeHead((await text(request)).includes('refused') ? 422 : 200).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const journalDirectory = join(directory, 'journal');
    const options = { baseUrl: `http://127.0.0.1:${port}`, correlationKey: 'email', journalDirectory };
    const deadLetters = { maxBytes: 64 * 1024 };
    const payload = { text: 'x'.repeat(40_000) };
    // Each tool leaves an event that the service takes: only then is the other one at fault, whoever delivers both.
    const taken = `tracker.track('taken', {}, { correlationValue: 'ada@example.com' });`;
    const names = ['refused first', 'refused next'];
    await Promise.all(names.map((name) => runTool(name, { ...options, deadLetters }, payload, taken)));
    await vi.waitFor(async () => expect(await readdir(journalDirectory)).toEqual(['dead-letters']), PATIENCE);
    server.close();
    const tracker = createTracker(options);
    // Two do not fit.
    expect(await tracker.deadLetters.count()).toBe(1);
    await tracker.close({ timeoutMs: 0 });
  });

  it.each([
    ['nothing of the user’s own', '{}', 'true'],
    ['a journal in memory', `{ journal: 'memory', journalDirectory: undefined }`, 'false'],
    ['a transport', '{ transport: { post: async () => {}, close: async () => {} } }', 'false'],
    ['a dispatcher', '{ delivery: { dispatcher: { dispatch: () => false } } }', 'false'],
    ['a reader of answers', '{ delivery: { classify: () => undefined } }', 'false'],
    ['a function of a destination', '{ destination: { event: (event) => event } }', 'false'],
  ])('says whether it can with %s', async (_, own, answer) => {
    const { baseUrl, apiKey } = emulator;
    const options = JSON.stringify({ baseUrl, apiKey, correlationKey: 'email', journalDirectory: directory });
    expect(await runTool('tracked', `{ ...${options}, ...${own} }`)).toBe(answer);
  });

  it.each([
    ['the option consent', { consent: 'denied' }, ''],
    ['setConsent()', {}, `tracker.setConsent('denied');`],
  ])('sends nothing that waits where consent is denied: %s', async (_, denied, last) => {
    const { baseUrl, apiKey } = emulator;
    const options = { baseUrl, apiKey, correlationKey: 'email', journalDirectory: directory };
    const name = `of an earlier run, ${last}`;
    const code = `
      const { createTracker } = await import(${JSON.stringify(core)});
      createTracker(${JSON.stringify(options)}).track(${JSON.stringify(name)}, {}, { correlationValue: 'ada@example.com' });
      process.exit();`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]);
    expect(await runTool('denied', { ...options, ...denied }, {}, last)).toBe('false');
  });

  it('delivers also with certificates that are larger than a pipe', async () => {
    const { baseUrl, apiKey } = emulator;
    const name = 'with many certificates';
    const ca = `Array(400).fill(readFileSync(${JSON.stringify(PEM)}, 'utf8'))`;
    const options = JSON.stringify({ baseUrl, apiKey, correlationKey: 'email', journalDirectory: directory });
    const code = `{ ...${options}, delivery: { connect: { ca: ${ca} } } }`;
    expect(await runTool(name, code, {}, '', `import { readFileSync } from 'node:fs';`)).toBe('true');
    await vi.waitFor(
      async () => expect(await emulator.countEvents({ name })).toEqual({ unique: 1, received: 1 }),
      PATIENCE,
    );
  });

  it.runIf(process.platform === 'linux').each([
    ['an environment that is too large', `process.env.LARGE = 'x'.repeat(200_000);`],
    [
      'no file descriptor that is left',
      `const { openSync } = await import('node:fs');
       try { for (;;) openSync('/dev/null'); } catch {}`,
    ],
  ])('says that it cannot with %s, and throws nothing', async (_, last) => {
    const { baseUrl, apiKey } = emulator;
    const options = { baseUrl, apiKey, correlationKey: 'email', journalDirectory: directory };
    expect(await runTool('tracked', options, {}, last)).toBe('false');
  });
});
