import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

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
