import { spawn } from 'node:child_process';
import { once } from 'node:events';
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

it('undici’s fetch fits the type of the option', () => {
  const option: Fetch = undiciFetch;
  expect(option).toBeTypeOf('function');
});
