import { type ReadonlySignal, signal } from '@preact/signals';

/** Height of a row of a list, in pixels. */
export const ROW = 36;

/** The same for a row with two lines. */
export const ROW_OF_TWO_LINES = 60;

/** Whether the screen is too narrow for two things side by side. The styles use the same width. */
export const isNarrow: ReadonlySignal<boolean> = matches('(max-width: 900px)');

/** Whether the screen is a phone's: there, list rows have two lines. The styles use the same width. */
export const isPhone: ReadonlySignal<boolean> = matches('(max-width: 640px)');

function matches(query: string): ReadonlySignal<boolean> {
  const list = matchMedia(query);
  const current = signal(list.matches);
  list.addEventListener('change', () => {
    current.value = list.matches;
  });
  return current;
}
