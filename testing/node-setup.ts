// Runs before each file of tests on Node, against the engine for pages.
import { installAllParts } from '../packages/core/test/bench/all-parts.ts';

installAllParts();
