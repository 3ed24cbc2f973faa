import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { leaveEvents, makeFolder } from './folder.ts';
import { sluice } from './sluice-process.ts';

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
    expect(code).toBe(1);
  });
});
