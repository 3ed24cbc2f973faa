import { once } from 'node:events';
import { expect, it } from 'vitest';
import { warnOfOverlay } from '../../../../src/keep/file/disk/node-file-system.ts';

const EXT4 = 0xef53;
const OVERLAY = 0x794c7630;

it('a directory that ends with its container is warned of, once, and no other', async () => {
  const warned = once(process, 'warning');
  warnOfOverlay('/on-a-volume', EXT4);
  warnOfOverlay('/var/lib/app', OVERLAY);
  warnOfOverlay('/elsewhere', OVERLAY);
  const [{ code, message }] = await warned;
  expect(code).toBe('SLUICE_OVERLAY');
  expect(message).toMatch(/^\/var\/lib\/app is in the container's own layer: .*journalDirectory$/);
});
