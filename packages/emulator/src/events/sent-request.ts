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
const NOT_REPEATED = /^(host|connection|content-length|transfer-encoding|expect|keep-alive|upgrade)$/;

/** Sends a request to the emulator itself. Resolves to the status of the answer; null if there is none within 5 seconds. */
export async function sendRequest({ url, method, headers, body }: Sendable): Promise<number | null> {
  const repeated = Object.entries(headers).flatMap(([name, value = '']) =>
    NOT_REPEATED.test(name) ? [] : [[name, String(value)] satisfies [string, string]],
  );
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const sent = body.length > 0 ? new Uint8Array(body) : null;
    const response = await fetch(url, { method, headers: repeated, body: sent, signal });
    await response.body?.cancel();
    return response.status;
  } catch {
    return null;
  }
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
