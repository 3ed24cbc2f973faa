import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemLocks } from '../../../../src/keep/file/slots/system-locks.ts';
import { Place } from '../place.ts';

let place: Place;
beforeEach(async () => {
  place = await Place.create();
});
afterEach(() => place.remove());

// Longer paths than this are too long for all but the socket, which has a short one.
const MOST_PATH_BYTES = 4_080;
const MOST_NAME_BYTES = 200;

describe.runIf(process.platform === 'linux')('a lock that cannot be made for its user alone', () => {
  it('is held by nobody, and leaves nothing open', async () => {
    let path = place.directory;
    while (path.length < MOST_PATH_BYTES - 1)
      path = join(path, 'd'.repeat(Math.min(MOST_NAME_BYTES, MOST_PATH_BYTES - path.length - 1)));
    await mkdir(path, { recursive: true });
    await expect(systemLocks.hold(path, 'a'.repeat(16), () => {})).rejects.toThrow('ENAMETOOLONG');
    expect(await systemLocks.isHeld(path, 'a'.repeat(16))).toBe(false);
    expect(await readdir(path)).toEqual([]);
  });
});

describe('a path that is too long for a lock', () => {
  const { platform } = process;
  afterEach(() => {
    Object.defineProperty(process, 'platform', { value: platform });
  });

  it('is named, with what to do, where there is no shorter one to the same directory, as on macOS', async () => {
    const path = join(place.directory, 'd'.repeat(100));
    await mkdir(path);
    Object.defineProperty(process, 'platform', { value: 'darwin' });
    const bytes = Buffer.byteLength(join(path, `${'a'.repeat(16)}.lock`)) - 103;
    const message = `is ${bytes} bytes too long for a lock: set journalDirectory`;
    await expect(systemLocks.hold(path, 'a'.repeat(16), () => {})).rejects.toThrow(message);
    // In doubt, nobody is dead.
    expect(await systemLocks.isHeld(path, 'a'.repeat(16))).toBe(true);
  });
});
