import { expect, it } from 'vitest';
import { few } from '../../../testing/full.ts';
import { fuzzBodies } from './fuzzed-bodies.ts';

it('thousands of fuzzed bodies are taken or refused with a reason, never failed or hung at, and nothing stored is lost', async () => {
  await expect(fuzzBodies(few(2, [1, 2, 3, 4]), 2_500)).resolves.toBeUndefined();
});
