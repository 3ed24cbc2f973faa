import { describe, expect, it } from 'vitest';
import { thoroughRedactor } from '../../src/toolbox/index.ts';

const KEY = 'canary/key-5f2d+"9c';
/** Its base64 has both + and /. */
const BINARY = '>>>???>>>???';

describe('a secret', () => {
  it('is also taken out of hex and base64, wherever it stands in what was encoded', () => {
    const thorough = thoroughRedactor(KEY);
    expect(thorough(KEY)).toBe('[key]');
    expect(thorough(Buffer.from(KEY).toString('hex'))).toBe('[key]');
    expect(thorough(Buffer.from(KEY).toString('hex').toUpperCase())).toBe('[key]');
    for (const before of ['', 'A', 'AB', 'Api-Key ', 'user:'])
      for (const after of ['', '\n', ':x', ':pass'])
        for (const form of ['base64', 'base64url'] as const) {
          const shown = thorough(Buffer.from(before + KEY + after).toString(form));
          expect(shown).toContain('[key]');
          expect(Buffer.from(shown.replace('[key]', ''), form).toString()).not.toContain('canary');
          expect(shown.length).toBeLessThan(before.length + after.length + 15);
        }
  });

  it.each([
    ['percent codes in lower case', encodeURIComponent(KEY).replace(/%../g, (code) => code.toLowerCase())],
    ['base64 in a URL', encodeURIComponent(Buffer.from(BINARY).toString('base64'))],
    ['base64 in JSON with escaped slashes', Buffer.from(BINARY).toString('base64').replaceAll('/', '\\/')],
  ])('is also taken out of %s', (_, text) => {
    const shown = thoroughRedactor(text.includes('canary') ? KEY : BINARY)(`before ${text} after`);
    expect(shown).toMatch(/^before \[key\]\S{0,6} after$/);
  });

  it('of four characters is taken out of them too', () => {
    const text = Buffer.from('Api-Key k+9"').toString('base64');
    expect(thoroughRedactor('k+9"')(`${text} 6b2b3922`)).toMatch(/\[key].* \[key]$/);
  });

  it('that has half a character is taken out as it is, and escaped for JSON', () => {
    const secret = 'canary-\ud800';
    expect(thoroughRedactor(secret)(`${secret} ${JSON.stringify(secret)}`)).toBe('[key] "[key]"');
  });

  it('that is short is not looked for in hex and base64, which any text could be', () => {
    expect(thoroughRedactor('k1')('6b31 azE=')).toBe('6b31 azE=');
  });
});
