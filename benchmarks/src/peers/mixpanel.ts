import { randomUUID } from 'node:crypto';
import type { Event } from 'mixpanel';
import type { Subject } from '../subjects/subject.ts';
import { Lanes } from '../workload/lanes.ts';

const CALLS = 4;
const BATCH_EVENTS = 500;

/** Mixpanel has no queue: the application keeps an array and passes it on. */
export const mixpanel: Subject = {
  name: 'Mixpanel',
  package: 'mixpanel',
  configuration:
    `no queue of its own, so the array and the loop are ours: track_batch() of ${BATCH_EVENTS} events, ${CALLS} calls at a time, ` +
    'which it posts in parts of 50 (its most), in base64, on up to 40 connections kept alive',
  format: { mark: '"uuid":"', isBase64Form: true, reply: '1' },
  load: async () => {
    const { default: sdk } = await import('mixpanel');
    return ({ baseUrl }) => {
      const client = sdk.init('bench-key', { host: new URL(baseUrl).host, protocol: 'http' });
      const post = (batch: Event[]) =>
        new Promise<void>((resolve, reject) => {
          // Without errors, the value is null, although its type says undefined.
          client.track_batch(batch, (errors) => (errors ? reject(errors[0]) : resolve()));
        });
      const lanes = new Lanes<Event[]>(CALLS, post);
      let batch: Event[] = [];
      const endBatch = () => {
        lanes.add(batch);
        batch = [];
      };
      return {
        track: ({ name, correlationValue, payload }) => {
          const properties = { uuid: randomUUID(), distinct_id: correlationValue, payload };
          batch.push({ event: name, properties });
          if (batch.length === BATCH_EVENTS) endBatch();
        },
        flush: () => {
          if (batch.length > 0) endBatch();
          return lanes.empty();
        },
        close: async () => undefined,
      };
    };
  },
};
