import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { systemClock } from '@sluice/protocol/toolbox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Range } from '../../../src/base/range.ts';
import { createTracker, type Tracker } from '../../../src/index.ts';
import type { Locks } from '../../../src/keep/file/slots/system-locks.ts';
import { systemLocks } from '../../../src/keep/file/slots/system-locks.ts';
import { FailingFileSystem } from '../../bench/failing-file-system.ts';
import { failed, ScriptedTransport } from '../../bench/scripted-transport.ts';
import { group, readAll, Witness } from '../../contracts/journal-contract.ts';
import { Place } from './place.ts';

let place: Place;
beforeEach(async () => {
  place = await Place.create();
});
afterEach(async () => {
  await place.remove();
  for (const path of [moved(), copy()]) await rm(path, { recursive: true, force: true });
});

const moved = () => `${place.directory}-moved`;
const copy = () => `${place.directory}-copy`;

class Listener extends Witness {
  readonly gone: Range[] = [];

  vanished(range: Range): void {
    this.gone.push(range);
  }
}

/** A journal with one synced event. */
async function start() {
  const journal = place.create();
  const witness = new Listener();
  await journal.open(witness);
  const before = await journal.append(group(['"before"']));
  await journal.sync();
  return { journal, witness, before };
}

function lose(how: string): Promise<void> {
  const actions: Record<string, () => Promise<void>> = {
    'moved away': () => rename(place.directory, moved()),
    'replaced by an empty one': async () => {
      await rename(place.directory, moved());
      await mkdir(place.directory);
    },
    'replaced by a backup': async () => {
      await cp(place.directory, copy(), { recursive: true, filter: (path) => !path.endsWith('.lock') });
      await rename(place.directory, moved());
      await rename(copy(), place.directory);
    },
    removed: () => rm(place.directory, { recursive: true }),
  };
  return actions[how]?.() ?? Promise.reject(new Error(how));
}

describe('a journal under whose feet the directory is', () => {
  it.for(['moved away', 'replaced by an empty one', 'replaced by a backup', 'removed'])(
    '%s, writes at the last moment of the process what the next process finds',
    async (how) => {
      const { journal } = await start();
      await lose(how);
      journal.appendSync(group(['"last"']));
      journal.appendSync(group(['"very last"']));
      // It ends without another look.
      const next = await place.open({ locks: { ...systemLocks, isHeld: async () => false } });
      const found = await readAll(next.journal, next.witness.ranges);
      expect(found.filter((event) => event !== '"before"').sort()).toEqual(['"last"', '"very last"']);
    },
  );

  it.for(['moved away', 'replaced by an empty one', 'replaced by a backup', 'removed'])(
    '%s, says so at the next sync, and from then on has written what it says that it has',
    async (how) => {
      const { journal, witness, before } = await start();
      await lose(how);
      const after = await journal.append(group(['"after"']));
      expect(witness.failures).toEqual([]);
      await journal.sync();
      expect(witness.failures.map(String).join('\n')).toContain('somebody removed');
      const last = await journal.append(group(['"last"']));
      await journal.sync();
      expect(await readAll(journal, [after, last])).toEqual(['"after"', '"last"']);
      if (how !== 'replaced by a backup') expect(witness.gone).toEqual([before]);
      expect(await place.inherited()).toEqual(expect.arrayContaining(['"after"', '"last"']));
    },
  );
});

describe('a journal that took over events of a dead process, under whose feet the directory is', () => {
  /** The journal, and where it has the events that it took over. */
  async function inherit() {
    const dead = await place.open();
    await dead.journal.append(group(['"inherited"']));
    await dead.journal.close();
    const { journal, witness, before } = await start();
    await expect.poll(() => witness.ranges.length).toBe(1);
    return { journal, witness, before, inherited: witness.ranges };
  }

  it.for(['moved away', 'replaced by an empty one', 'removed'])(
    '%s, says at the next sync that these are gone as well',
    async (how) => {
      const { journal, witness, before, inherited } = await inherit();
      await lose(how);
      await journal.append(group(['"after"']));
      await journal.sync();
      expect(witness.gone).toEqual(expect.arrayContaining([before, ...inherited]));
    },
  );

  it('replaced by an empty one, says at the next look that these are gone', async () => {
    const { witness, inherited } = await inherit();
    await lose('replaced by an empty one');
    await place.clock.advance(10 * 60_000);
    await expect.poll(() => witness.gone).toEqual(expect.arrayContaining([...inherited]));
  });
});

describe('an event that is appended with `fsync: always` as the directory is moved away', () => {
  /** Looks whether a lock is in place call this first. */
  let look = async (): Promise<void> => {};
  let looks = 0;
  const locks: Locks = {
    ...systemLocks,
    async hold(...wanted) {
      const lock = await systemLocks.hold(...wanted);
      const isInPlace = async () => {
        looks += 1;
        await look();
        return (await lock.isInPlace?.()) ?? true;
      };
      return { ...lock, isInPlace };
    },
  };

  /** Moves the directory away at the next look, once a promise has resolved. */
  function loseAfter(moment: Promise<void>): void {
    look = async () => {
      look = async () => {};
      await moment;
      await lose('moved away');
    };
  }

  beforeEach(() => {
    look = async () => {};
    looks = 0;
  });

  it('is written once more', async () => {
    const { journal } = await place.open({ fsync: 'always', locks });
    await journal.append(group(['"before"']));
    loseAfter(Promise.resolve());
    const after = await journal.append(group(['"after"']));
    expect(await readAll(journal, [after])).toEqual(['"after"']);
    expect(await place.inherited()).toEqual(['"after"']);
  });

  it('does not count as written where the sync of another one had made it durable', async () => {
    const fs = new FailingFileSystem();
    const { journal } = await place.open({ fsync: 'always', locks, fs });
    await journal.append(group(['"before"']));
    const goOn = fs.hang('sync');
    const first = journal.append(group(['"first"']));
    await expect.poll(() => fs.hanging).toBe(1);
    // Its sync begins once the first one has ended, and is that of the last one as well.
    const second = journal.append(group(['"second"']));
    await expect.poll(() => looks).toBe(3);
    let lookOn = () => {};
    loseAfter(new Promise((resolve) => (lookOn = resolve)));
    const last = journal.append(group(['"last"']));
    await expect.poll(() => looks).toBe(4);
    goOn();
    await Promise.all([first, second]);
    lookOn();
    await expect(last).rejects.toThrow('gone');
  });
});

describe('a journal whose lock somebody removed', () => {
  it('takes it again, and no other takes its events', async () => {
    const { journal, witness, before } = await start();
    for (const lock of await place.files('.lock')) await rm(lock);
    await journal.sync();
    expect(witness.failures.map(String).join()).toContain('somebody removed a lock');
    const other = await place.open();
    expect(other.witness.ranges).toEqual([]);
    expect(await readAll(journal, [before])).toEqual(['"before"']);
    expect(await place.files('.lock')).toHaveLength(2);
  });

  it('leaves to another what that took meanwhile, and has all that is appended then', async () => {
    const { journal, witness, before } = await start();
    for (const lock of await place.files('.lock')) await rm(lock);
    const other = await place.open();
    expect(await readAll(other.journal, other.witness.ranges)).toEqual(['"before"']);
    await other.journal.acknowledge(before);
    await journal.append(group(['"after"']));
    await journal.sync();
    expect(witness.gone).toEqual([before]);
    expect(await place.inherited()).toContain('"after"');
  });
});

describe('a tracker', () => {
  /** The events that the next process would find if this one were killed: it cannot take what the living tracker has. */
  async function leftByKill(tracker: Tracker): Promise<string[]> {
    await cp(place.directory, copy(), { recursive: true, filter: (path) => !path.endsWith('.lock') });
    await tracker.close({ timeoutMs: 0 });
    await rm(place.directory, { recursive: true });
    await rename(copy(), place.directory);
    return place.inherited();
  }

  it('whose directory is moved away has written all that it has in memory, once it says that this is durable', async () => {
    const transport = new ScriptedTransport(systemClock);
    transport.respond = () => failed(false);
    const tracker = createTracker({
      ...{ baseUrl: 'http://127.0.0.1:9', apiKey: 'key', correlationKey: 'email' },
      ...{ journalDirectory: place.directory, transport },
    });
    const failures: string[] = [];
    tracker.on('storageFailed', ({ error }) => failures.push(String(error)));
    const track = (count: number) => {
      for (let number = 0; number < count; number += 1)
        tracker.track('purchase', {}, { correlationValue: 'ada' });
    };
    track(100);
    await tracker.durable();
    await lose('moved away');
    track(100);
    await tracker.durable();
    expect(failures.join('\n')).toContain('somebody removed');
    expect(await leftByKill(tracker)).toHaveLength(200);
  });

  it('whose directory is moved away has written what it took over and sends as well, once it says that this is durable', async () => {
    const dead = await place.open();
    await dead.journal.append(group(['{"event":"first"}', '{"event":"second"}']));
    await dead.journal.close();
    const transport = new ScriptedTransport(systemClock);
    transport.respond = () => new Promise(() => {});
    const tracker = createTracker({
      ...{ baseUrl: 'http://127.0.0.1:9', apiKey: 'key', correlationKey: 'email' },
      ...{ journalDirectory: place.directory, transport },
    });
    await expect.poll(() => tracker.stats().inFlight).toBe(2);
    await lose('moved away');
    tracker.track('purchase', {}, { correlationValue: 'ada' });
    await tracker.durable();
    expect(await leftByKill(tracker)).toHaveLength(3);
  });
});
