import { randomUUID } from 'node:crypto';
import type { Subject } from '../subjects/subject.ts';
import { Outstanding } from '../workload/outstanding.ts';

const CONNECTIONS = 4;

/** Jitsu has neither a queue nor batches: every event is a request. */
export const jitsu: Subject = {
  name: 'Jitsu',
  package: '@jitsu/js',
  configuration: `s2s; a request for each event, as it is built, with undici's fetch on ${CONNECTIONS} connections`,
  format: { mark: '"uuid":"', reply: '{"ok":true}' },
  load: async () => {
    const { jitsuAnalytics } = await import('@jitsu/js');
    const { Agent, fetch: undiciFetch } = await import('undici');
    return ({ baseUrl }) => {
      const dispatcher = new Agent({ connections: CONNECTIONS });
      const limitedFetch = (url: string, init: object) => undiciFetch(url, { ...init, dispatcher });
      const client = jitsuAnalytics({
        host: baseUrl,
        writeKey: 'bench:key',
        s2s: true,
        fetch: limitedFetch as unknown as typeof fetch,
      });
      const outstanding = new Outstanding();
      const done = () => outstanding.end();
      return {
        track: ({ name, correlationValue, payload }) => {
          outstanding.begin();
          client.track(name, { uuid: randomUUID(), correlationValue, ...payload }).then(done);
        },
        flush: () => outstanding.empty(),
        close: () => dispatcher.close(),
      };
    };
  },
};
