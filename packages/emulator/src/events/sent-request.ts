import { request } from 'node:http';
import { EVENTS_PATH, requestHeaders } from '@sluice/protocol';

/** A request that can be sent. */
export interface Sendable {
  readonly url: string;
  readonly method: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

const PATIENCE_MS = 5_000;
// They belong to the connection, or Node sets them itself.
const NOT_REPEATED = [
  ...['host', 'connection', 'content-length', 'transfer-encoding', 'expect', 'keep-alive', 'upgrade'],
];

/** Sends a request to the emulator itself. Resolves to the status of the answer; null if there is none within 5 seconds. */
export function sendRequest({ url, method, headers, body }: Sendable): Promise<number | null> {
  const repeated = Object.entries(headers).filter(([name]) => !NOT_REPEATED.includes(name));
  return new Promise((resolve) => {
    const sent = request(url, {
      method,
      headers: { ...Object.fromEntries(repeated), 'content-length': body.length },
      signal: AbortSignal.timeout(PATIENCE_MS),
      agent: false,
    });
    sent.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? null);
    });
    sent.on('error', () => resolve(null));
    sent.end(body);
  });
}

/** A batch with one event, as a client would send it. */
export function testEvent(baseUrl: string, apiKey: string, primaryKey: string): Sendable {
  const event = {
    event: 'test_event',
    correlationKey: primaryKey,
    correlationValue: 'test@example.com',
    source: 'custom',
    timestamp: new Date().toISOString(),
    payload: { sent_by: 'emulator' },
  };
  const body = Buffer.from(JSON.stringify({ batch: [event] }));
  const headers = { ...requestHeaders(apiKey), 'user-agent': 'sluice-emulator' };
  return { url: baseUrl + EVENTS_PATH, method: 'POST', headers, body };
}
