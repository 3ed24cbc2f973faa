import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Subject } from '../subjects/subject.ts';
import { Outstanding } from '../workload/outstanding.ts';

const BATCH_EVENTS = 500;

export const amplitude: Subject = {
  name: 'Amplitude',
  package: '@amplitude/analytics-node',
  configuration: `flushQueueSize ${BATCH_EVENTS}, flushIntervalMillis 1; one request at a time, as it is built`,
  format: { mark: '"insert_id":"', reply: '{"code":200}' },
  load: async () => {
    const { createInstance } = await import('@amplitude/analytics-node');
    return ({ baseUrl }) => {
      const client = createInstance();
      client.init('bench-key', {
        serverUrl: `${baseUrl}/2/httpapi`,
        flushQueueSize: BATCH_EVENTS,
        flushIntervalMillis: 1,
      });
      const outstanding = new Outstanding();
      const done = () => outstanding.end();
      return {
        track: ({ name, correlationValue, payload }) => {
          outstanding.begin();
          const options = { user_id: correlationValue, insert_id: randomUUID() };
          client.track(name, payload, options).promise.then(done);
        },
        // flush() returns at once if another flush is running.
        flush: async () => {
          while (outstanding.count > 0) {
            await client.flush().promise;
            await nextTurn();
          }
        },
        close: async () => undefined,
      };
    };
  },
};
