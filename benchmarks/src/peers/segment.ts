import { randomUUID } from 'node:crypto';
import type { Subject } from '../subjects/subject.ts';

const BATCH_EVENTS = 500;

export const segment: Subject = {
  name: 'Segment',
  package: '@segment/analytics-node',
  configuration: `flushAt ${BATCH_EVENTS}; Node's own fetch, each batch at once`,
  format: { mark: '"messageId":"' },
  load: async () => {
    const { Analytics } = await import('@segment/analytics-node');
    return ({ baseUrl }) => {
      const client = new Analytics({ writeKey: 'bench-key', host: baseUrl, flushAt: BATCH_EVENTS });
      return {
        track: ({ name, correlationValue, payload }) =>
          client.track({
            event: name,
            userId: correlationValue,
            properties: payload,
            messageId: randomUUID(),
          }),
        flush: () => client.flush(),
        close: () => client.closeAndFlush(),
      };
    };
  },
};
