import { platform } from '#platform';
import { deadLetters } from '../src/dead-letters.ts';
import { gzip } from '../src/gzip.ts';

// For tests that run in a browser as in Node: what a page would have to ask for is there.
Object.assign(platform.parts, { gzip, deadLetters });
