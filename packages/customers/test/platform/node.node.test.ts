import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { fetch as undiciFetch } from 'undici';
import { expect, it } from 'vitest';
import { createCustomerReader, type Fetch } from '../../src/index.ts';

const SERVICE = `
  const server = require('node:http').createServer({ keepAliveTimeout: 60000 }, (request, response) => {
    response.end('{"a":1}');
  });
  server.listen(0, '127.0.0.1', () => process.stdout.write(String(server.address().port)));
`;

it('an idle connection does not keep the process alive', async () => {
  const connections = (): number =>
    process.getActiveResourcesInfo().filter((resource) => resource === 'TCPSocketWrap').length;
  // The service runs in another process, so that this process has only the client's end of the connection.
  const service = spawn(process.execPath, ['-e', SERVICE], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [port] = await once(service.stdout, 'data');
    const before = connections();
    const reader = createCustomerReader({ apiUrl: `http://127.0.0.1:${port}`, apiKey: 'k' });
    expect(await reader.read('a')).toEqual({ a: 1 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(connections()).toBe(before);
  } finally {
    service.kill();
    await once(service, 'close');
  }
});

it('a process is warned once of a key that others can read on its way, and is not shown the key', async () => {
  const code = `
    const { createCustomerReader } = await import(${JSON.stringify(new URL('../../dist/index.js', import.meta.url))});
    const { MockAgent, setGlobalDispatcher } = await import('undici');
    setGlobalDispatcher(new MockAgent());
    const codes = [];
    process.on('warning', ({ code }) => codes.push(code));
    for (const apiUrl of ['http://127.0.0.1:1', 'https://a.example', 'http://canary-key-77.example/x', 'http://b.example'])
      await createCustomerReader({ apiUrl, apiKey: 'canary-key-77', retries: 0 }).read('a').catch(() => {});
    console.log(JSON.stringify(codes));`;
  const ended = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: import.meta.dirname,
  });
  const { stdout, stderr } = await ended;
  expect(JSON.parse(stdout)).toEqual(['SLUICE_PLAIN_HTTP']);
  expect(stderr).toContain('the apiKey goes to http://[key].example unencrypted');
});

it('undici’s fetch fits the type of the option', () => {
  const option: Fetch = undiciFetch;
  expect(option).toBeTypeOf('function');
});
