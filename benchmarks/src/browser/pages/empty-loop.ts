import type { Open } from './page-event.ts';

/** The baseline: an SDK that does nothing. Every measurement of the main thread includes this cost. */
export const open: Open = () => () => undefined;
