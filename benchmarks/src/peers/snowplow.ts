import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Subject } from '../subjects/subject.ts';

const QUEUE_EVENTS = 1_000_000;
/** About 500 events. */
const POST_BYTES = 500 * 600;

export const snowplow: Subject = {
  name: 'Snowplow',
  package: '@snowplow/node-tracker',
  configuration:
    `POST, maxPostBytes ${POST_BYTES.toLocaleString('en')} (about 500 events), bufferSize 500, no base64, an event store in memory for ` +
    `${QUEUE_EVENTS.toLocaleString('en')}; one request at a time, as it is built`,
  format: { mark: '"eid":"' },
  load: async () => {
    const { buildSelfDescribingEvent, newTracker } = await import('@snowplow/node-tracker');
    const { newInMemoryEventStore } = await import('@snowplow/tracker-core');
    return ({ baseUrl }) => {
      const eventStore = newInMemoryEventStore({ maxSize: QUEUE_EVENTS });
      const tracker = newTracker(
        { namespace: 'bench', appId: 'bench', encodeBase64: false },
        { endpoint: baseUrl, bufferSize: 500, maxPostBytes: POST_BYTES, eventStore },
      );
      return {
        track: ({ name, correlationValue, payload }) => {
          const schema = `iglu:com.example/${name}/jsonschema/1-0-0`;
          tracker.track(buildSelfDescribingEvent({ event: { schema, data: { correlationValue, payload } } }));
        },
        // flush() returns at once if another flush is running.
        flush: async () => {
          while ((await eventStore.count()) > 0) {
            await tracker.flush();
            await nextTurn();
          }
        },
        close: async () => undefined,
      };
    };
  },
};
