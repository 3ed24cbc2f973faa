import { platform } from '#platform';
import { allParts } from '../../src/parts/all-parts.ts';

// For tests that run in a browser as in Node: what a page would have to ask for is there.
Object.assign(platform.parts, allParts);
