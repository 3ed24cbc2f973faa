import { expect, it } from 'vitest';
import { startEmulator } from '../src/index.ts';
import { COMPRESSION, expectTooLarge } from './gzipped.ts';

it('a small body that would become an enormous one is refused', async () => {
  await using emulator = await startEmulator({ primaryKey: 'email', behaviour: COMPRESSION });
  await expect(expectTooLarge(emulator, 50_000_000)).resolves.toBeUndefined();
});
