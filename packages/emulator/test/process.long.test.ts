// Tests the built command, so they run after a build. The long tests have more wrong arguments.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../src/index.ts';
import { networkAddresses } from '../src/running/network-addresses.ts';
import { end, MAIN, run, start } from './emulator-process.ts';
import { event, inspect, readCustomer, sendEvents, temporaryDirectory } from './service.ts';

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
    expect(await inspect(service, '/emulator/faults')).toMatchObject({
      body: { seed: 7, faults: [{ fault: { kind: 'script' } }, { fault: down }] },
    });
    const statuses: number[] = [];
    for (const one of [event(), event(), event()]) statuses.push((await sendEvents(service, one)).status);
    expect(statuses).toEqual([503, 429, 202]);
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

  it('ends with 1 where its data directory cannot be used', async () => {
    const { code, output, errors } = await run('--data', join(MAIN, 'below a file'));
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(errors).toContain('sluice-emulator: Cannot use the data directory');
  });

  it('ends with 1 where a directory is in use, also after a second start in the process that uses it', async () => {
    const data = temporaryDirectory();
    await using _ = await startEmulator({ data });
    await expect(startEmulator({ data })).rejects.toThrow('another emulator is using it');
    const { code, errors } = await run('--data', data);
    expect([code, errors]).toEqual([1, expect.stringContaining('another emulator is using it')]);
  });

  it('listens on fixed ports, and ends with 1 and an explanation if one is in use', async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
    const { port } = blocker.address() as AddressInfo;
    const { code, output, errors } = await run('--port', String(port));
    blocker.close();
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(errors).toContain(`--port ${port} on host "127.0.0.1" is in use: end the program that uses it`);
  });

  it('tells the addresses of this machine if it listens on all of them', async () => {
    const { service } = await start('--host', '0.0.0.0');
    expect(service).toMatchObject({ addresses: networkAddresses('0.0.0.0') });
  });

  it('tells its version', async () => {
    expect(await run('--version')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  it('explains itself', async () => {
    const { code, output } = await run('--help');
    expect(code).toBe(0);
    expect(output).toContain('--primary-key NAME');
  });
});
