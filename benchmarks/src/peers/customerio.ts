import { randomUUID } from 'node:crypto';
import type { Subject } from '../subjects/subject.ts';
import { Outstanding } from '../workload/outstanding.ts';

const BATCH_EVENTS = 500;
/** For events that do not fill a batch: this client can flush only when it closes. */
const INTERVAL_MS = 10;

/** The client of Customer.io's pipelines. The package customerio-node sends a request for each event. */
export const customerio: Subject = {
  name: 'Customer.io',
  package: '@customerio/cdp-analytics-node',
  configuration: `maxEventsInBatch ${BATCH_EVENTS}, flushInterval ${INTERVAL_MS} ms; Node's own fetch, each batch at once`,
  format: { mark: '"messageId":"' },
  load: async () => {
    const { Analytics } = await import('@customerio/cdp-analytics-node');
    return ({ baseUrl }) => {
      const client = new Analytics({
        writeKey: 'bench-key',
        host: baseUrl,
        maxEventsInBatch: BATCH_EVENTS,
        flushInterval: INTERVAL_MS,
      });
      const outstanding = new Outstanding();
      // A callback for each event would cost a third of its speed.
      client.on('track', () => outstanding.end());
      return {
        track: ({ name, correlationValue, payload }) => {
          outstanding.begin();
          const event = { event: name, userId: correlationValue, properties: payload };
          client.track({ ...event, messageId: randomUUID() });
        },
        flush: () => outstanding.empty(),
        close: () => client.closeAndFlush(),
      };
    };
  },
};
