import { chmod, chown, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileNote } from '../../../../src/keep/file/disk/file-note.ts';
import { group, Witness } from '../../../contracts/journal-contract.ts';
import { MortalLocks, Place } from '../place.ts';

const isRoot = process.geteuid?.() === 0;
const SOMEBODY = 1_001;

let place: Place;
beforeEach(async () => {
  place = await Place.create();
});
afterEach(() => place.remove());

/** Opens a journal. Returns why it cannot. */
async function refusal(): Promise<string> {
  const { cause, message } = await place
    .create()
    .open(new Witness())
    .then(
      () => new Error('it opened'),
      (error: Error) => error,
    );
  return `${message}: ${cause instanceof Error ? cause.message : ''}`;
}

describe.runIf(process.geteuid)('a directory', () => {
  it.for([0o777, 0o775, 0o1777, 0o702])(
    'to which others may write (%o) is refused, with the way to mend it',
    async (mode) => {
      await chmod(place.directory, mode);
      expect(await refusal()).toContain(
        `other users may write to ${place.directory}: use another directory, or chmod go-w it`,
      );
      await chmod(place.directory, 0o700);
      expect(await refusal()).toContain('it opened');
    },
  );

  it.runIf(isRoot)('of another user is refused, with the way to mend it', async () => {
    await chown(place.directory, SOMEBODY, SOMEBODY);
    expect(await refusal()).toContain(
      `${place.directory} belongs to user ${SOMEBODY}, and this process runs as user 0: run it as that user, `,
    );
  });

  it('that others may read is not', async () => {
    await chmod(place.directory, 0o755);
    expect(await refusal()).toContain('it opened');
  });

  it('to which others may write gets no events, also not as the process ends', async () => {
    await chmod(place.directory, 0o777);
    const journal = place.create();
    await expect(journal.append(group(['1']))).rejects.toThrow('cannot write');
    expect(() => journal.appendSync(group(['1']))).toThrow('other users may write');
    expect(await readdir(place.directory)).toEqual([]);
  });
});

describe.runIf(isRoot)('files that another user put into the directory', () => {
  it('are not sent, and stay where they are: a segment', async () => {
    const locks = new MortalLocks();
    const { journal } = await place.open({ locks });
    await journal.append(group(['"planted"']));
    locks.killAll();
    const planted = await place.theSegment();
    await chown(planted, SOMEBODY, SOMEBODY);
    const { witness } = await place.open({ locks });
    expect(witness.ranges).toEqual([]);
    expect(witness.failures.map(({ cause }) => String(cause)).join()).toContain(
      `belongs to user ${SOMEBODY}`,
    );
    expect(await place.files('.segment')).toHaveLength(1);
  });

  it('are not sent, and stay where they are: a directory of his, whoever owns what is in it', async () => {
    const locks = new MortalLocks();
    const { journal } = await place.open({ locks });
    await journal.append(group(['"planted"']));
    locks.killAll();
    await chown(dirname(await place.theSegment()), SOMEBODY, SOMEBODY);
    const { witness } = await place.open({ locks });
    expect(witness.ranges).toEqual([]);
    expect(witness.failures.map(({ cause }) => String(cause)).join()).toContain(
      `belongs to user ${SOMEBODY}`,
    );
    expect(await place.files('.segment')).toHaveLength(1);
  });

  it('are not read: a note', async () => {
    const note = new FileNote(join(place.directory, 'session'));
    await note.change(() => 'ours');
    expect(await note.read()).toBe('ours');
    await chown(join(place.directory, 'session'), SOMEBODY, SOMEBODY);
    expect(await note.read()).toBeUndefined();
    await note.change((text) => text ?? 'ours again');
    expect(await note.read()).toBe('ours again');
  });
});
