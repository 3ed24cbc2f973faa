import { platform } from '#platform';
import { pageDefaults, pageParts } from '../../src/page-engine/page-tracker.ts';
import type { DeadLetters } from '../../src/parts/dead-letters/dead-letters.ts';
import { allParts } from '../../src/platform/all-parts.ts';

/** For tests that run in a browser and in Node: installs the parts that a page would have to request. */
export function installAllParts(): void {
  Object.assign(platform.parts, allParts);
  Object.assign(pageDefaults.parts, allParts);
  // Lists them only.
  pageParts.deadLetters = (read) => {
    async function* list() {
      for (const letter of await read()) yield JSON.parse(letter);
    }
    return { list } as unknown as DeadLetters;
  };
}
