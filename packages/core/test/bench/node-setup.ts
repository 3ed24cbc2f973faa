// Runs before each file of tests on Node, against the engine for pages.
import 'fake-indexeddb/auto';
import { installAllParts } from './all-parts.ts';

installAllParts();
