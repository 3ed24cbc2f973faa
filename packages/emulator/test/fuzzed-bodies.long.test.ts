import { expect, it } from 'vitest';
import { fuzzBodies } from './fuzzed-bodies.ts';

it('10,000 fuzzed bodies are taken or refused with a reason, never failed or hung at, and nothing stored is lost', async () => {
  await expect(fuzzBodies([1, 2, 3, 4], 2_500)).resolves.toBeUndefined();
});
