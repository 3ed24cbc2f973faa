import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { API_KEY, makeFolder } from './folder.ts';
import { ended, sluice, start } from './sluice-process.ts';

describe('sluice emulator', () => {
  it('takes the flags of sluice-emulator', async () => {
    expect((await sluice(['emulator', '--help'])).output).toContain('Usage: npx sluice-emulator');
    const wrong = await sluice(['emulator', '--port', 'x']);
    expect(wrong).toMatchObject({
      code: 2,
      errors: expect.stringContaining('--port must be a whole number'),
    });
  });
});

describe('sluice relay', () => {
  it('takes the variables of sluice-relay, serves, and ends on SIGTERM', async () => {
    expect((await sluice(['relay', '--help'])).output).toContain('SLUICE_RELAY_SECRET');
    const child = start(['relay'], {
      SLUICE_BASE_URL: 'http://127.0.0.1:9',
      SLUICE_API_KEY: API_KEY,
      SLUICE_CORRELATION_KEY: 'email',
      SLUICE_RELAY_SECRET: 'a secret of at least thirty-two characters',
      SLUICE_RELAY_JWT: JSON.stringify({ algorithm: 'HS256', audience: 'a', keys: { a: 'k'.repeat(32) } }),
      SLUICE_RELAY_DIRECTORY: makeFolder(),
      SLUICE_RELAY_PORT: '0',
    });
    const [line] = await once(createInterface(child.stdout), 'line');
    const { origin } = new URL(JSON.parse(line).url);
    expect(await (await fetch(`${origin}/healthz`)).text()).toBe('ok\n');
    child.kill('SIGTERM');
    expect(await ended(child)).toMatchObject({ code: 0, errors: '' });
  });

  it('says which variable is missing', async () => {
    expect((await sluice(['relay', '--port', '1'])).errors).toMatch(
      /^sluice-relay: it takes no arguments, .*\n$/,
    );
    expect(await sluice(['relay'])).toMatchObject({
      code: 2,
      errors: expect.stringMatching(/^sluice-relay: SLUICE_\w+: .*\n$/),
    });
  });
});
