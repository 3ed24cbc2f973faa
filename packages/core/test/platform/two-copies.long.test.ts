import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CoreCopy } from '../children/core-copy.ts';
import { type Assignment, runToEnd } from '../children/ending-process.ts';
import { Place } from '../keep/file/place.ts';

const COUNT = 20;
const ALL = Array.from({ length: COUNT }, (_, number) => number);
/** `SLUICE_NODE` may name a second Node program, of another version. */
const programs = [process.execPath, process.env.SLUICE_NODE ?? ''].filter((path) => path !== '');

let copy: CoreCopy;
beforeAll(async () => {
  copy = await CoreCopy.create();
});
afterAll(() => copy.remove());

async function run(
  execPath: string,
  gaveUp: AbortSignal,
  assignment: Pick<Assignment, 'scenario' | 'signal'>,
) {
  const place = await Place.create();
  const { directory } = place;
  const ending = await runToEnd({ directory, count: COUNT, copy: copy.url, ...assignment }, execPath, gaveUp);
  const left = (await place.inherited()).map((text) => JSON.parse(text).payload.number);
  await place.remove();
  return { ...ending, left: left.sort((a, b) => a - b) };
}

describe.each(programs)('a process with two copies of the package, run by %s', (program) => {
  it.for(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('dies of %s, and loses no event', async (by, test) => {
    const scenario = 'two copies of the package';
    const ending = await run(program, test.signal, { scenario, signal: by });
    expect(ending).toMatchObject({ code: null, signal: by, left: ALL });
  });

  it.for([
    ['process.exit()', 7],
    ['an uncaught exception', 1],
  ] as const)('ends by %s, and loses no event', async ([end, code], { signal }) => {
    const ending = await run(program, signal, { scenario: `two copies of the package, and ${end}` });
    expect(ending).toMatchObject({ code, signal: null, left: ALL });
  });
});
