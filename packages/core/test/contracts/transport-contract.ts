import { EVENTS_PATH, endpoint, joinEvents, requestHeaders } from '@sluice/protocol';
import { describe, expect, it } from 'vitest';
import { uuid } from '../../src/base/uuid.ts';
import type { Transport, TransportRequest } from '../../src/send/http/transport.ts';
import { LONG } from '../hostile/trial.ts';

/** A running emulator, as a test receives it. */
export interface Service {
  readonly baseUrl: string;
  readonly apiUrl: string;
  readonly apiKey: string;
}

/** What every transport must do, however it sends requests. */
export function describeTransport(name: string, create: () => Transport, service: Service): void {
  function request(given: Partial<TransportRequest> = {}): TransportRequest {
    const event = {
      event: 'purchase',
      correlationKey: 'email',
      correlationValue: 'ada@example.com',
      source: 'custom',
      uuid: uuid(),
    };
    return {
      url: endpoint(service.baseUrl, EVENTS_PATH),
      headers: requestHeaders(service.apiKey),
      body: new TextEncoder().encode(joinEvents([JSON.stringify(event)])),
      timeouts: LONG,
      signal: new AbortController().signal,
      ...given,
    };
  }

  describe(`${name}, as a transport`, () => {
    it('posts a batch and says what was answered', async () => {
      const transport = create();
      expect(await transport.post(request())).toMatchObject({ kind: 'answered', status: 200 });
      await transport.close();
    });

    it('hands on a refusal with its status and what the service said', async () => {
      const transport = create();
      const refused = await transport.post(request({ body: new TextEncoder().encode('{"batch":[{}]}') }));
      expect(refused).toMatchObject({
        kind: 'answered',
        status: 422,
        body: expect.stringContaining('batch'),
      });
      await transport.close();
    });

    it('sends the key only where the header says so', async () => {
      const transport = create();
      const outcome = await transport.post(request({ headers: requestHeaders(undefined) }));
      expect(outcome).toMatchObject({ kind: 'answered', status: 401 });
      await transport.close();
    });

    it('says that it failed where nobody listens, and does not reject', async () => {
      const transport = create();
      const outcome = await transport.post(request({ url: 'http://127.0.0.1:9/api/events/batch/' }));
      expect(outcome).toMatchObject({ kind: 'failed', cause: expect.any(Error) });
      await transport.close();
    });

    it('makes no request once its signal has aborted', async () => {
      const transport = create();
      const outcome = await transport.post(request({ signal: AbortSignal.abort() }));
      expect(outcome.kind).toBe('failed');
      await transport.close();
    });
  });
}
