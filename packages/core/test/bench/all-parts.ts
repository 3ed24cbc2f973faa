import { platform } from '#platform';
import { allPageParts } from '../../src/page-engine/all-parts.ts';
import { pageDefaults } from '../../src/page-engine/page-tracker.ts';
import { allParts } from '../../src/platform/all-parts.ts';

/** For tests that run in a browser and in Node: installs the parts that a page would have to request. */
export function installAllParts(): void {
  const { checked = allParts.checked } = platform.parts;
  Object.assign(platform.parts, process.env.SLUICE_ENGINE ? allPageParts : allParts, { checked });
  Object.assign(pageDefaults.parts, allPageParts);
}
