import { write } from 'node:fs';
import { appendFile, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { Window } from '../../src/keep/window.ts';
import { WindowFile } from '../../src/keep/window-file.ts';
import { directory } from '../bench/site.ts';
import { isKnown, KEEP_MS, OPTIONS, openWindow, wordsOf } from './windows.ts';

it('the next process knows what was appended, also of the table before', async () => {
  const path = await directory();
  const first = await openWindow(path);
  await first.add(0, 1, 2);
  await first.add(2 * KEEP_MS, 3);
  await first.add(2 * KEEP_MS + 1, 4);
  // Nothing is closed: the process was killed.
  const second = await openWindow(path, 2 * KEEP_MS + 2);
  expect([1, 2, 3, 4, 5].map((number) => isKnown(second.window, number))).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
  await second.add(2 * KEEP_MS + 3, 5);
  await second.add(9 * KEEP_MS, 6);
  const third = await openWindow(path, 9 * KEEP_MS);
  expect([1, 2, 5, 6].map((number) => isKnown(third.window, number))).toEqual([false, false, true, true]);
  for (const { file } of [first, second, third]) await file.close();
});

it('goes on after the last intact group: a torn one is written over', async () => {
  const path = await directory();
  const first = await openWindow(path);
  await first.add(0, 1);
  await first.add(0, 2);
  const name = join(path, 'events-0.window');
  await truncate(name, (await stat(name)).size - 3);
  const second = await openWindow(path);
  await second.add(0, 3);
  await appendFile(name, 'torn');
  const third = await openWindow(path);
  expect([1, 2, 3].map((number) => isKnown(third.window, number))).toEqual([true, false, true]);
  for (const { file } of [first, second, third]) await file.close();
});

it('a write that a full disk cut short costs the ids in it, and none that come later', async () => {
  const path = await directory();
  const window = new Window(OPTIONS, 0);
  const writes = promisify(write);
  let isFull = false;
  const file = new WindowFile(path, 'events', window, (fd, bytes, from, length, to) =>
    writes(fd, bytes, from, isFull ? Math.floor(length / 2) : length, to),
  );
  await file.open();
  const add = (number: number) => {
    window.add({ words: Uint32Array.from(wordsOf(number)), at: 0 }, 0);
    return file.append(wordsOf(number));
  };
  await add(1);
  isFull = true;
  await expect(add(2)).rejects.toThrow('the disk is full');
  isFull = false;
  await add(3);
  await file.close();
  const next = await openWindow(path);
  expect([1, 3].map((number) => isKnown(next.window, number))).toEqual([true, true]);
});

it('a file that does not say since when it knows its keys is forgotten', async () => {
  const path = await directory();
  const { file, add } = await openWindow(path);
  await add(0, 1);
  await file.close();
  const [name = ''] = await readdir(path);
  const bytes = await readFile(join(path, name));
  bytes.fill(0xff, 8, 16);
  await writeFile(join(path, name), bytes);
  const { window, file: next } = await openWindow(path, 1);
  expect([isKnown(window, 1), window.since]).toEqual([false, 1]);
  await next.close();
});
