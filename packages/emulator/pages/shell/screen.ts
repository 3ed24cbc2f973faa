import { type ReadonlySignal, signal } from '@preact/signals';

/** Height of a row of a list, in pixels. */
export const ROW = 36;

/** The same where a row has two lines. */
export const ROW_OF_TWO_LINES = 60;

/** Whether the screen is too narrow for two things side by side. The same width stands in the styles. */
export const isNarrow: ReadonlySignal<boolean> = matches('(max-width: 900px)');

/** Whether it is a phone's: rows of lists become two lines. The same width stands in the styles. */
export const isPhone: ReadonlySignal<boolean> = matches('(max-width: 640px)');

/** Whether the system is dark. */
export const isDark: ReadonlySignal<boolean> = matches('(prefers-color-scheme: dark)');

function matches(query: string): ReadonlySignal<boolean> {
  const list = matchMedia(query);
  const current = signal(list.matches);
  list.addEventListener('change', () => {
    current.value = list.matches;
  });
  return current;
}
