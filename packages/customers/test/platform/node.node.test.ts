import { spawn } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import {
  type Dispatcher,
  getGlobalDispatcher,
  MockAgent,
  setGlobalDispatcher,
  fetch as undiciFetch,
} from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { createCustomerReader, type Fetch, type StandardSchema } from '../../src/index.ts';
import { json, rejection, scripted } from '../scripted-fetch.ts';

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

it('many reads with one signal add one listener to it, and remove it', async () => {
  const { signal } = new AbortController();
  const listeners = () => getEventListeners(signal, 'abort').length;
  let answer: () => void = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const { reader } = scripted([() => answered.then(() => json({}))]);
  const validate = () => answered.then(() => ({ value: 1 }));
  const schema: StandardSchema<number> = { '~standard': { version: 1, vendor: 'test', validate } };
  const reads = ['a', 'a', 'b', 'c'].map((key) => reader.read(key, { signal, schema }));
  expect(listeners()).toBe(1);
  answer();
  expect(await Promise.all(reads)).toEqual([1, 1, 1, 1]);
  await new Promise(setImmediate);
  expect(listeners()).toBe(0);
});

it('all reads with one signal reject when it aborts', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const { reader } = scripted([() => new Promise(() => {})]);
  const reads = ['a', 'a', 'b'].map((key) => rejection(reader.read(key, { signal })));
  const reason = new Error('enough');
  controller.abort(reason);
  expect(await Promise.all(reads)).toEqual([reason, reason, reason]);
});

it('the dispatcher that the user set sends the requests, without time-outs of its own', async () => {
  const before = getGlobalDispatcher();
  onTestFinished(() => setGlobalDispatcher(before));
  const agent = new MockAgent();
  agent
    .get('http://127.0.0.1:4200')
    .intercept({ path: '/customers/read', method: 'POST' })
    .reply(200, '{"a":1}');
  const seen: Dispatcher.DispatchOptions[] = [];
  const watch: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    seen.push(options);
    return dispatch(options, handler);
  };
  setGlobalDispatcher(agent.compose(watch));
  const reader = createCustomerReader({ apiUrl: 'http://127.0.0.1:4200', apiKey: 'k' });
  expect(await reader.read('a')).toEqual({ a: 1 });
  expect(seen).toMatchObject([{ headersTimeout: 0, bodyTimeout: 0 }]);
});

it('undici’s fetch fits the type of the option', () => {
  const option: Fetch = undiciFetch;
  expect(option).toBeTypeOf('function');
});
