import { Window } from '../../src/keep/window.ts';
import { WindowFile } from '../../src/keep/window-file.ts';

export const KEEP_MS = 1_000;
export const OPTIONS = { keepMs: KEEP_MS, bytes: 34 * 1_000 };

export const wordsOf = (number: number) => [number + 1, number, 7];
export const isKnown = (window: Window, number: number) =>
  window.has({ words: Uint32Array.from(wordsOf(number)), at: 0 });

export async function openWindow(path: string, now = 0) {
  const window = new Window(OPTIONS, now);
  const file = new WindowFile(path, 'events', window);
  await file.open();
  const add = async (at: number, ...numbers: number[]) => {
    for (const number of numbers) window.add({ words: Uint32Array.from(wordsOf(number)), at: 0 }, at);
    await file.append(numbers.flatMap(wordsOf));
  };
  return { window, file, add };
}
