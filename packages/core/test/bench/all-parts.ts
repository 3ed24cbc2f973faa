import { platform } from '#platform';
import { pageDefaults } from '../../src/page-engine/page-tracker.ts';
import { allParts } from '../../src/platform/all-parts.ts';

// For tests that run in a browser and in Node: installs the parts that a page would have to request.
Object.assign(platform.parts, allParts);
Object.assign(pageDefaults.parts, allParts);
