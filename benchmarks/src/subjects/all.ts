import { bare } from './bare.ts';
import { always, byDefault, inMemory } from './sluice.ts';
import type { Subject } from './subject.ts';

/** Everything that a burst can go through. */
export const SUBJECTS: readonly Subject[] = [byDefault, always, inMemory, bare];
