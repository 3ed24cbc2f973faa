// Tests the built command, so they run after a build.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { event, inspect, readCustomer, type Service, sendEvents, temporaryDirectory } from './service.ts';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

interface Running {
  readonly child: ChildProcess;
  readonly service: Service & { readonly primaryKey: string | null };
  /** All of standard output, once it has ended. */
  readonly output: Promise<string>;
  readonly errors: Promise<string>;
}

function launch(args: readonly string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function start(...args: string[]): Promise<Running> {
  const child = launch(args);
  const chunks: string[] = [];
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      chunks.push(chunk);
      if (chunk.includes('\n')) resolve(chunks.join(''));
    });
    child.once('exit', (code) => reject(new Error(`ended with ${code} before it was ready`)));
  });
  const output = once(child.stdout, 'end').then(() => chunks.join(''));
  const errors = text(child.stderr);
  return { child, service: JSON.parse(await ready), output, errors };
}

async function run(...args: string[]): Promise<{ code: unknown; output: string; errors: string }> {
  const child = launch(args);
  const exited = once(child, 'exit');
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await exited;
  return { code, output, errors };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown[]> {
  const exited = once(child, 'exit');
  child.kill(signal);
  return exited;
}

describe('the emulator as a process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('prints one line of JSON, and ends well on %s', async (signal) => {
    const { child, service, output, errors } = await start('--primary-key', 'email');
    expect(service).toEqual({
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      apiUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      pagesUrl: `${service.apiUrl}/`,
      apiKey: expect.any(String),
      primaryKey: 'email',
    });
    // These leave open connections, which this process keeps alive.
    expect((await sendEvents(service, event())).status).toBe(200);
    expect((await sendEvents(service, { ...event(), event: '' })).status).toBe(422);
    expect(await end(child, signal)).toEqual([0, null]);
    expect(await output).toBe(`${JSON.stringify(service)}\n`);
    expect(await errors).toBe('');
  });

  it('says null where no primary key is selected', async () => {
    const { service } = await start();
    expect(service.primaryKey).toBeNull();
    expect((await sendEvents(service, event())).status).toBe(409);
  });

  it('loads customers from a file, and takes the key and level of log it is given', async () => {
    const file = join(temporaryDirectory(), 'customers.ndjson');
    writeFileSync(
      file,
      '\ufeff{"email":"ada@example.com","first_name":"Ada"}\r\n\n{"email":"bob@example.com"}',
    );
    const args = [
      '--primary-key',
      'email',
      '--customers',
      file,
      '--api-key',
      'canary',
      '--log-level',
      'debug',
    ];
    const { child, service, output, errors } = await start(...args);
    expect(service.apiKey).toBe('canary');
    expect((await readCustomer(service, 'ada@example.com')).body).toMatchObject({ first_name: 'Ada' });
    expect((await readCustomer(service, 'bob@example.com')).status).toBe(200);
    await end(child, 'SIGTERM');
    expect(await output).toBe(`${JSON.stringify(service)}\n`);
    const log = (await errors).trim().split('\n');
    expect(log.map((line) => JSON.parse(line).msg)).toEqual(['emulator listens', 'request', 'request']);
    expect(log.join('')).not.toContain('canary');
  });

  it('switches on the faults, and behaves by the settings, that it finds in files', async () => {
    const directory = temporaryDirectory();
    const faults = join(directory, 'faults.json');
    const behaviour = join(directory, 'behaviour.json');
    const down = { kind: 'status', status: 503, times: 1 };
    writeFileSync(faults, `\ufeff${JSON.stringify([down, [{ ...down, status: 429 }]])}`);
    writeFileSync(behaviour, '{ "acceptedStatus": 202 }');
    const { service } = await start(
      ...['--primary-key', 'email', '--preset', 'quiet'],
      ...['--faults', faults, '--fault-seed', '7', '--behaviour', behaviour],
    );
    expect(await inspect(service, '/emulator/admin/faults')).toMatchObject({
      body: { seed: 7, faults: [{ fault: { kind: 'script' } }, { fault: down }] },
    });
    const statuses: number[] = [];
    for (const one of [event(), event(), event()]) statuses.push((await sendEvents(service, one)).status);
    expect(statuses).toEqual([503, 429, 202]);
  });

  it.each([
    [
      '--faults',
      '[{"kind":"status","status":7}]',
      '--faults[0].status must be a whole number from 200 to 599',
    ],
    ['--faults', '[{]', '--faults must be a file of JSON, got string "'],
    ['--behaviour', '{"maxEvents":0}', '--behaviour.maxEvents must be a whole number from 1'],
  ])('ends with 2 for a file of %s that holds %s, and says why', async (flag, content, message) => {
    const path = join(temporaryDirectory(), 'options.json');
    writeFileSync(path, content);
    const { code, output, errors } = await run(flag, path);
    expect({ code, output }).toEqual({ code: 2, output: '' });
    expect(errors).toContain(`sluice-emulator: ${message}`);
  });

  it('has lost nothing that it answered for after SIGKILL', async () => {
    const data = temporaryDirectory();
    const first = await start('--data', data, '--primary-key', 'email');
    let answered = 0;
    const killed = once(first.child, 'exit');
    const sending = (async () => {
      for (;;) {
        const { status } = await sendEvents(first.service, event(), event());
        if (status === 200) answered += 1;
        if (answered === 20) first.child.kill('SIGKILL');
      }
    })();
    await expect(sending).rejects.toThrow();
    await killed;

    const second = await start('--data', data);
    expect(second.service).toMatchObject({ apiKey: first.service.apiKey, primaryKey: 'email' });
    const { body } = await inspect(second.service, '/emulator/counts');
    const { unique } = Object(body);
    expect(unique % 2).toBe(0); // a batch is all or nothing
    expect(unique).toBeGreaterThanOrEqual(2 * answered);
    expect(unique).toBeLessThanOrEqual(2 * (answered + 1)); // one batch may have been stored, but not answered
    expect(await end(second.child, 'SIGTERM')).toEqual([0, null]);
  });

  it.each([
    [['--bogus'], "Unknown option '--bogus'"],
    [['--customers', 'missing.ndjson'], '--customers must be a file with one JSON object a line'],
    [['--faults', 'missing.json'], '--faults must be a file of JSON, got string "missing.json": ENOENT'],
    [['--api-key', 'canary key'], '--api-key must be visible ASCII'],
  ])('ends with 2 for wrong arguments, %j, and says why', async (args, message) => {
    const { code, output, errors } = await run(...args);
    expect({ code, output }).toEqual({ code: 2, output: '' });
    expect(errors).toContain(`sluice-emulator: ${message}`);
    expect(errors).not.toContain('canary');
  });

  it('ends with 1 where its data directory cannot be used', async () => {
    const { code, output, errors } = await run('--data', join(MAIN, 'below a file'));
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(errors).toContain('sluice-emulator: Cannot use the data directory');
  });

  it('explains itself', async () => {
    const { code, output } = await run('--help');
    expect(code).toBe(0);
    expect(output).toContain('--primary-key NAME');
  });
});
