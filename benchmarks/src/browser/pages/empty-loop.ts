import type { Open } from './page-event.ts';

/** What every measurement of the main thread holds besides the SDK. */
export const open: Open = () => () => undefined;
