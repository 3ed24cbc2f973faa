import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@sluice/protocol/toolbox';
import { afterAll, expect, it } from 'vitest';
import { describeJournal, group, readAll, Witness } from '../../contracts/journal-contract.ts';
import { EncryptedJournal } from './encrypted-journal.ts';

const scratch = await mkdtemp(join(tmpdir(), 'sluice-'));
afterAll(() => rm(scratch, { recursive: true, force: true }));

const KEY = createSecretKey(randomBytes(32));

function create(place: string, key = KEY): EncryptedJournal {
  const directory = join(scratch, place);
  return new EncryptedJournal({ directory, fsync: 'interval', clock: systemClock }, key);
}

describeJournal('EncryptedJournal', { create, survives: true });

async function open(key = KEY): Promise<{ journal: EncryptedJournal; witness: Witness }> {
  const journal = create('place', key);
  const witness = new Witness();
  await journal.open(witness);
  return { journal, witness };
}

it('whoever reads the files of a journal that encrypts finds no text of an event; a wrong key loses none', async () => {
  const texts = ['{"email":"ada@example.com"}', '{"email":"bob@example.com"}'];
  const first = await open();
  await first.journal.append(group(texts));
  first.journal.appendSync(group(texts));
  await first.journal.close();
  const names = await readdir(join(scratch, 'place'), { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(0);
  for (const { name, parentPath } of files)
    expect(await readFile(join(parentPath, name), 'latin1')).not.toMatch(/email|ada|bob/);

  const wrong = await open(createSecretKey(randomBytes(32)));
  await expect(readAll(wrong.journal, wrong.witness.ranges)).rejects.toThrow('cannot decrypt an event');
  await wrong.journal.close();
  const { journal, witness } = await open();
  expect(await readAll(journal, witness.ranges)).toEqual([...texts, ...texts]);
  await journal.close();
});
