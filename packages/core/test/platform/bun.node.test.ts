import { describe, expect, it } from 'vitest';
import { readOptions } from '../../src/options/settings.ts';
import { platform as bun } from '../../src/platform/bun.ts';
import { UndiciTransport } from '../../src/send/http/undici-transport.ts';

const options = { baseUrl: 'http://service.invalid', correlationKey: 'email' };

// `npm run test:runtimes` runs whole trackers in Bun.
describe('the platform of Bun, where undici is a stub that makes no requests', () => {
  it('does not post with undici', () => {
    expect(bun.createTransport(readOptions(options, bun))).not.toBeInstanceOf(UndiciTransport);
  });

  it.each([
    ['connect', { servername: 'service.invalid' }],
    ['dispatcher', { dispatch: () => true }],
  ])('refuses delivery.%s, which no request would use', (name, value) => {
    expect(() => readOptions({ ...options, delivery: { [name]: value } }, bun)).toThrow(
      `delivery.${name} must be absent in Bun, whose fetch makes the requests`,
    );
  });

  it('checks all other options as Node does', () => {
    expect(() => readOptions({ ...options, journal: 'memory', journalDirectory: '/data' }, bun)).toThrow(
      'journalDirectory is for the file journal',
    );
  });
});
