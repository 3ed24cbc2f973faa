/** Makes trackers everywhere but in pages. */
export { platform as defaults } from '#platform';
export { createWith } from './tracker.ts';
