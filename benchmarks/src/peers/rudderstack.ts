import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Subject } from '../subjects/subject.ts';
import { Outstanding } from '../workload/outstanding.ts';

const QUEUE_EVENTS = 1_000_000;
const BATCH_EVENTS = 500;

export const rudderstack: Subject = {
  name: 'RudderStack',
  package: '@rudderstack/rudder-sdk-node',
  configuration:
    `flushAt ${BATCH_EVENTS}, maxInternalQueueSize ${QUEUE_EVENTS.toLocaleString('en')}, flushInterval 1 ms, no gzip; it serialises its ` +
    'whole queue for every event, as it is built',
  format: { mark: '"messageId":"' },
  load: async () => {
    const { default: Analytics } = await import('@rudderstack/rudder-sdk-node');
    return ({ baseUrl }) => {
      const client = new Analytics('bench-key', {
        dataPlaneUrl: baseUrl,
        flushAt: BATCH_EVENTS,
        flushInterval: 1,
        maxQueueSize: 10 ** 9,
        maxInternalQueueSize: QUEUE_EVENTS,
        gzip: false,
      });
      const outstanding = new Outstanding();
      const done = () => outstanding.end();
      return {
        track: ({ name, correlationValue, payload }) => {
          outstanding.begin();
          client.track({ event: name, userId: correlationValue, properties: payload }, done);
        },
        // One flush() sends one batch at most.
        flush: async () => {
          while (outstanding.count > 0) {
            await client.flush();
            await nextTurn();
          }
        },
        close: async () => undefined,
      };
    };
  },
};
