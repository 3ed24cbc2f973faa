import type { Subject } from '../subjects/subject.ts';

const QUEUE_EVENTS = 1_000_000;
const BATCH_EVENTS = 500;

export const posthog: Subject = {
  name: 'PostHog',
  package: 'posthog-node',
  configuration:
    `flushAt and maxBatchSize ${BATCH_EVENTS}, maxQueueSize ${QUEUE_EVENTS.toLocaleString('en')}, no compression; one request ` +
    'at a time, as it is built',
  load: async () => {
    const { PostHog } = await import('posthog-node');
    return ({ baseUrl }) => {
      const client = new PostHog('bench-key', {
        host: baseUrl,
        flushAt: BATCH_EVENTS,
        maxBatchSize: BATCH_EVENTS,
        maxQueueSize: QUEUE_EVENTS,
        flushInterval: 0,
        disableCompression: true,
      });
      return {
        track: ({ name, correlationValue, payload }) =>
          client.capture({ event: name, distinctId: correlationValue, properties: payload }),
        flush: () => client.flush(),
        close: () => client.shutdown(),
      };
    };
  },
};
