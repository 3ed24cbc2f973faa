import { defaults } from '#engine';
import { allParts } from '../../src/platform/all-parts.ts';

/** For tests in a browser: installs the parts that a page would have to request. */
export function installAllParts(): void {
  const { checked = allParts.checked } = defaults.parts;
  Object.assign(defaults.parts, allParts, { checked });
}
