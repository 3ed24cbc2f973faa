import { Place } from '../keep/file/place.ts';
import { type Assignment, type Ending, runToEnd } from './ending-process.ts';

const COUNT = 20;

/** Runs a process to its end. Returns how it ended, and the numbers of the events that it left. */
export async function run(
  scenario: string,
  more: Partial<Assignment> = {},
): Promise<Ending & { readonly left: number[] }> {
  const place = await Place.create();
  const ending = await runToEnd({ directory: place.directory, count: COUNT, scenario, ...more });
  const left = (await place.inherited()).map((text) => JSON.parse(text).payload.number);
  await place.remove();
  return { ...ending, left: left.sort((a, b) => a - b) };
}

/** The numbers of all events. */
export const ALL = Array.from({ length: COUNT }, (_, number) => number);
