import type { Fault } from '../fault.ts';
import { whyNoChromium } from './find-chromium.ts';

const ENTRY = '@sluice/core/service-worker';

/** Events leave after the last tab is gone, when the browser lets a service worker sync. */
export const serviceWorker: Fault = {
  name: 'service-worker',
  skipReason: whyNoChromium ?? `there is no ${ENTRY} yet`,
  run: () => Promise.reject(new Error(`there is no ${ENTRY} yet`)),
};
