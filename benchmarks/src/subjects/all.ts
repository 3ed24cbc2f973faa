import { mixpanel } from '../peers/mixpanel.ts';
import { opentelemetry } from '../peers/opentelemetry.ts';
import { bare, postingBare } from './bare.ts';
import { always, byDefault, inMemory } from './sluice.ts';
import type { Subject } from './subject.ts';

/** Everything that a burst can go through. */
export const SUBJECTS: readonly Subject[] = [
  bare,
  postingBare,
  byDefault,
  always,
  inMemory,
  mixpanel,
  opentelemetry,
];
