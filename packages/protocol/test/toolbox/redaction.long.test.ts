import { expect, it } from 'vitest';
import { thoroughRedactor } from '../../src/toolbox/index.ts';

it('a secret of 300,000 characters is taken out too', () => {
  const secret = 'canary'.repeat(50_000);
  const base64 = Buffer.from(secret).toString('base64');
  expect(thoroughRedactor(secret)(`a ${secret} b ${base64} c`)).toBe('a [key] b [key] c');
});
