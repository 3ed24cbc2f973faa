import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemLocks } from '../../../../src/keep/file/slots/system-locks.ts';
import { startTracking } from '../../../children/tracking-process.ts';
import { Place } from '../place.ts';

let place: Place;
let owner: ChildProcess | undefined;
beforeEach(async () => {
  place = await Place.create();
});
afterEach(async () => {
  owner?.kill('SIGKILL');
  await place.remove();
});

/** Asks whether the owner of a lock is alive, as another process does. Returns the code of the error, if there is one. */
async function visit(lock: string): Promise<unknown> {
  const socket = connect(lock);
  try {
    await once(socket, 'connect');
    return undefined;
  } catch (error) {
    return Reflect.get(Object(error), 'code');
  } finally {
    socket.destroy();
  }
}

// Other systems refuse such a connection as if the process were dead.
describe.runIf(process.platform === 'linux')('a process that is stopped', () => {
  it('keeps its slot, though so many have asked for it that its lock takes no more connections', async () => {
    const directory = place.directory;
    const end = 'wait to be killed once durable';
    owner = startTracking({ baseUrl: 'http://127.0.0.1:9', directory, first: 0, count: 3, end });
    await once(owner, 'message');
    owner.kill('SIGSTOP');
    const [lock = ''] = await place.files('.lock');
    let answer: unknown;
    while (answer === undefined) answer = await visit(lock);
    expect(answer).toBe('EAGAIN');

    const { journal, witness } = await place.open();
    expect(witness).toMatchObject({ ranges: [], failures: [] });
    await journal.close();
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    expect(await place.inherited()).toHaveLength(3);
  });
});

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
