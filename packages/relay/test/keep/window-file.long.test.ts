import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { directory } from '../bench/site.ts';
import { isKnown, OPTIONS, openWindow } from './windows.ts';

it('keeps its two files as small as its two tables', async () => {
  const path = await directory();
  const { add, file } = await openWindow(path);
  for (let number = 0; number < 10_000; number += 1) await add(number / 1_000, number);
  const sizes = await Promise.all(
    (await readdir(path)).map(async (name) => (await stat(join(path, name))).size),
  );
  expect(sizes).toHaveLength(2);
  for (const size of sizes) expect(size).toBeLessThan(OPTIONS.bytes);
  await file.close();
});

it('takes damaged files as far as they are intact, and knows no id that was not there', async () => {
  const path = await directory();
  const { add, file } = await openWindow(path);
  for (let number = 0; number < 50; number += 1) await add(0, number);
  await file.close();
  const name = join(path, 'events-0.window');
  const whole = await readFile(name);
  for (let at = 0; at < whole.length; at += 5) {
    const damaged = Buffer.from(whole);
    damaged[at] = 255 - (damaged[at] ?? 0);
    await writeFile(name, damaged);
    const { window, file } = await openWindow(path);
    const known = Array.from({ length: 60 }, (_, number) => isKnown(window, number));
    expect(known.lastIndexOf(true) + 1).toBe(known.filter(Boolean).length);
    expect(known.slice(50)).not.toContain(true);
    await file.close();
  }
});
