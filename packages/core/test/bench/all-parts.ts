import { defaults } from '#engine';
import { allParts } from '../../src/platform/all-parts.ts';

/** For tests that run in a browser and in Node: installs the parts that a page would have to request. */
export function installAllParts(): void {
  const { checked = allParts.checked } = defaults.parts;
  Object.assign(defaults.parts, allParts, { checked });
}
