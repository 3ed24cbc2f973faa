import { write } from 'node:fs';
import { appendFile, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { Window } from '../../src/keep/window.ts';
import { WindowFile } from '../../src/keep/window-file.ts';
import { directory } from '../bench/site.ts';

const KEEP_MS = 1_000;
const OPTIONS = { keepMs: KEEP_MS, bytes: 34 * 1_000 };

const wordsOf = (number: number) => [number + 1, number, 7];
const isKnown = (window: Window, number: number) =>
  window.has({ words: Uint32Array.from(wordsOf(number)), at: 0 });

async function open(path: string, now = 0) {
  const window = new Window(OPTIONS, now);
  const file = new WindowFile(path, 'events', window);
  await file.open();
  const add = async (at: number, ...numbers: number[]) => {
    for (const number of numbers) window.add({ words: Uint32Array.from(wordsOf(number)), at: 0 }, at);
    await file.append(numbers.flatMap(wordsOf));
  };
  return { window, file, add };
}

it('the next process knows what was appended, also of the table before', async () => {
  const path = await directory();
  const first = await open(path);
  await first.add(0, 1, 2);
  await first.add(2 * KEEP_MS, 3);
  await first.add(2 * KEEP_MS + 1, 4);
  // Nothing is closed: the process was killed.
  const second = await open(path, 2 * KEEP_MS + 2);
  expect([1, 2, 3, 4, 5].map((number) => isKnown(second.window, number))).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
  await second.add(2 * KEEP_MS + 3, 5);
  await second.add(9 * KEEP_MS, 6);
  const third = await open(path, 9 * KEEP_MS);
  expect([1, 2, 5, 6].map((number) => isKnown(third.window, number))).toEqual([false, false, true, true]);
  for (const { file } of [first, second, third]) await file.close();
});

it('keeps its two files as small as its two tables', async () => {
  const path = await directory();
  const { add, file } = await open(path);
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
  const { add, file } = await open(path);
  for (let number = 0; number < 50; number += 1) await add(0, number);
  await file.close();
  const name = join(path, 'events-0.window');
  const whole = await readFile(name);
  for (let at = 0; at < whole.length; at += 5) {
    const damaged = Buffer.from(whole);
    damaged[at] = 255 - (damaged[at] ?? 0);
    await writeFile(name, damaged);
    const { window, file } = await open(path);
    const known = Array.from({ length: 60 }, (_, number) => isKnown(window, number));
    expect(known.lastIndexOf(true) + 1).toBe(known.filter(Boolean).length);
    expect(known.slice(50)).not.toContain(true);
    await file.close();
  }
});

it('goes on after the last intact group: a torn one is written over', async () => {
  const path = await directory();
  const first = await open(path);
  await first.add(0, 1);
  await first.add(0, 2);
  const name = join(path, 'events-0.window');
  await truncate(name, (await stat(name)).size - 3);
  const second = await open(path);
  await second.add(0, 3);
  await appendFile(name, 'torn');
  const third = await open(path);
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
  const next = await open(path);
  expect([1, 3].map((number) => isKnown(next.window, number))).toEqual([true, true]);
});

it('a file that does not say since when it knows its keys is forgotten', async () => {
  const path = await directory();
  const { file, add } = await open(path);
  await add(0, 1);
  await file.close();
  const [name = ''] = await readdir(path);
  const bytes = await readFile(join(path, name));
  bytes.fill(0xff, 8, 16);
  await writeFile(join(path, name), bytes);
  const { window, file: next } = await open(path, 1);
  expect([isKnown(window, 1), window.since]).toEqual([false, 1]);
  await next.close();
});
