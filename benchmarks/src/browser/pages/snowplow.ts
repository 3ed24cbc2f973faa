import { flushBuffer, newTracker, trackSelfDescribingEvent } from '@snowplow/browser-tracker';
import type { Open } from './page-event.ts';

export const open: Open = (serviceUrl) => {
  newTracker('bench', serviceUrl, {
    appId: 'bench',
    bufferSize: 100,
    maxPostBytes: 60_000,
    maxLocalStorageQueueSize: 100_000,
    discoverRootDomain: false,
    cookieSecure: false,
  });
  // Events that an earlier page stored are sent only with the next event, or by this call.
  flushBuffer();
  return ({ name, customer, payload }) =>
    trackSelfDescribingEvent({
      event: { schema: `iglu:com.example/${name}/jsonschema/1-0-0`, data: { ...payload, customer } },
    });
};
