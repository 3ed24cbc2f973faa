/** Makes trackers in pages. */
export { createWith, defaults } from './page-tracker.ts';
