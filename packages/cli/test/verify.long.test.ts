import { once } from 'node:events';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { leaveEvents, makeFolder } from './folder.ts';
import { sluice, start } from './sluice-process.ts';

describe('sluice verify', () => {
  it('ends with 1 where a journal is damaged, and says in which file and bytes', async () => {
    const folder = makeFolder();
    await leaveEvents(folder, 10);
    expect((await sluice(['verify', folder])).code).toBe(0);
    const names = await readdir(folder, { recursive: true });
    const path = join(folder, names.find((name) => name.endsWith('.segment')) ?? '');
    const file = await open(path, 'r+');
    await file.write('X', 100);
    await file.close();
    const { code, output } = await sluice(['verify', folder]);
    expect(output).toMatch(
      new RegExp(`^damaged ${path}: bytes 32 to \\d+; 1 event missing\n9 events in 1 file, `),
    );
    expect(output).toContain(`1 file damaged; what is intact: sluice drain ${folder}`);
    expect(code).toBe(1);
  });

  it('ends with 1 where nobody reads its output: the rest is not read then', async () => {
    const folder = makeFolder();
    for (let process = 0; process < 5; process += 1) await leaveEvents(folder, 10);
    const child = start(['verify', folder, '--json']);
    child.stdout.destroy();
    const [code] = await once(child, 'exit');
    expect(code).toBe(1);
  });

  it('says that a directory may be the wrong one if it has no files of a journal', async () => {
    const folder = makeFolder();
    expect((await sluice(['verify', folder])).output).toBe(
      `no files: all of ${folder} is delivered, or it is not the directory of a journal\n`,
    );
  });
});
