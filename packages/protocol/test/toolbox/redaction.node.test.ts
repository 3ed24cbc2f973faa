import { describe, expect, it } from 'vitest';
import { thoroughRedactor } from '../../src/toolbox/index.ts';

const KEY = 'canary/key-5f2d+"9c';

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

  it('that is short is not looked for in hex and base64, which any text could be', () => {
    expect(thoroughRedactor('k1')('6b31 azE=')).toBe('6b31 azE=');
  });
});
