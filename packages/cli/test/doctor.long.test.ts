import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { API_KEY, makeFolder, startService } from './folder.ts';
import { after, sluice } from './sluice-process.ts';

const MIB = 1024 * 1024;

/** The findings, by check. */
function read(output: string): Record<string, unknown> {
  const findings = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return Object.fromEntries(findings.map(({ check, ...finding }) => [check, finding]));
}

describe('sluice doctor', () => {
  it('finds nothing wrong, and sends no event', async () => {
    const [folder, { emulator, env }] = [makeFolder(), await startService()];
    const { code, output } = await sluice(['doctor', join(folder, 'journal'), '--json'], env);
    const findings = read(output);
    expect(Object.keys(findings)).toEqual([
      'versions',
      'settings',
      'address',
      'key',
      'clock',
      'proxy',
      'journal',
      'disk',
    ]);
    expect(JSON.stringify(findings)).not.toMatch(/warning|problem/);
    expect((await emulator.countEvents()).received).toBe(0);
    expect(code).toBe(0);
  });

  it('says what to do about a refused key and an unused proxy', async () => {
    const { env } = await startService();
    const wrong = { ...env, SLUICE_API_KEY: `${API_KEY}-wrong`, HTTP_PROXY: 'http://127.0.0.1:9' };
    const { code, output } = await sluice(['doctor', makeFolder()], wrong);
    expect(output).toMatch(
      /^WRONG key: the service refuses it \(40[13]\); take it from the settings of the account/m,
    );
    expect(output).toMatch(
      /^warn {2}proxy: HTTP_PROXY is set, and Sluice does not use it; set NODE_USE_ENV_PROXY=1/m,
    );
    expect(output).not.toContain(API_KEY);
    expect(code).toBe(1);
  });

  it('makes its request with `delivery.headers`, as a tracker does', async () => {
    const folder = makeFolder();
    const server = createServer((request, response) => {
      request.resume();
      request.on('end', () =>
        response.writeHead(request.headers['x-gateway'] === 'yes' ? 422 : 403).end('{}'),
      );
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const delivery = { headers: { 'x-gateway': 'yes' } };
    const options = { baseUrl, correlationKey: 'email', apiKey: API_KEY, delivery };
    await writeFile(join(folder, 'sluice.config.json'), JSON.stringify(options));
    const { code, output } = await sluice(['doctor', join(folder, 'journal'), '--json'], {}, folder);
    expect(read(output).key).toMatchObject({ state: 'ok' });
    expect(code).toBe(0);
  });

  it.each([
    ['a small disk with the share free that a journal leaves', 512, 60, undefined, 'ok'],
    ['less than the settings leave free', 100_000, 500, 1024, 'problem'],
    ['less than the default', 100_000, 60, undefined, 'problem'],
  ])('judges the disk as a journal does: %s', async (_, total, free, least, state) => {
    const [folder, { env }] = [makeFolder(), await startService()];
    const script = `import { promises } from 'node:fs';
      promises.statfs = async () => ({ type: 0, bsize: ${MIB}, blocks: ${total}, bavail: ${free} });`;
    const config = { storage: { minFreeBytes: least && least * MIB } };
    await writeFile(join(folder, 'sluice.config.json'), JSON.stringify(config));
    const command = ['doctor', join(folder, 'journal'), '--json'];
    const { output } = await sluice(command, after(script, env), folder);
    expect(read(output)).toMatchObject({ disk: { state } });
  });

  it('does not judge the key where the address is that of another service', async () => {
    const { emulator, env } = await startService();
    const wrong = { ...env, SLUICE_BASE_URL: emulator.apiUrl };
    const { code, output } = await sluice(['doctor', makeFolder(), '--json'], wrong);
    const findings = read(output);
    expect(findings.address).toMatchObject({
      state: 'problem',
      advice: 'correct baseUrl: it is no such service',
    });
    expect(findings).not.toHaveProperty('key');
    expect(code).toBe(1);
  });

  it('asks as a tracker would, and says which option a tracker refuses', async () => {
    const folder = makeFolder();
    const socketPath = join(folder, 'socket');
    const server = createServer((_request, response) => void response.writeHead(422).end());
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
    onTestFinished(() => void server.close());
    const config = { baseUrl: 'http://service.invalid', delivery: { connect: { socketPath } }, bach: {} };
    await writeFile(join(folder, 'sluice.config.json'), JSON.stringify(config));
    const { code, output } = await sluice(['doctor', join(folder, 'journal'), '--json'], {}, folder);
    expect(read(output)).toMatchObject({
      settings: { state: 'problem', found: 'bach is not an option; did you mean batch?' },
      address: { state: 'ok' },
    });
    expect(code).toBe(1);
  });

  it('tells a redirect, and a clock that is wrong', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(301, { location: '/login', date: 'Mon, 01 Jan 2024 00:00:00 GMT' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { output } = await sluice([
      'doctor',
      makeFolder(),
      '--base-url',
      `http://127.0.0.1:${port}`,
      '--json',
    ]);
    expect(read(output)).toMatchObject({
      address: { state: 'problem', advice: expect.stringContaining('baseUrl') },
      clock: { state: 'warning', advice: expect.stringContaining('set it') },
    });
  });

  it('shows no key that is in an address, and says that a tracker needs a primary key', async () => {
    const { emulator, env } = await startService();
    const { SLUICE_CORRELATION_KEY: _, ...rest } = env;
    const inPath = { ...rest, SLUICE_BASE_URL: `${emulator.baseUrl}/${API_KEY}` };
    const { output } = await sluice(['doctor', makeFolder(), '--json'], inPath);
    expect(read(output)).toMatchObject({
      settings: { state: 'warning', found: 'correlationKey is missing: a tracker needs it' },
      address: { state: 'problem', found: expect.stringContaining('/[key]/api/events/batch/ answers 404') },
    });
    expect(output).not.toContain(API_KEY);
  });

  it('makes no request to another endpoint: nobody knows what it does with an empty batch', async () => {
    const [folder, { env }] = [makeFolder(), await startService()];
    await writeFile(join(folder, 'sluice.config.json'), '{"destination":{"path":"/collect"}}');
    const { code, output } = await sluice(['doctor', join(folder, 'j'), '--json'], env, folder);
    expect(read(output).address).toEqual({
      ...{ state: 'warning', found: 'not checked: the settings have a destination' },
    });
    expect(code).toBe(0);
  });
});
