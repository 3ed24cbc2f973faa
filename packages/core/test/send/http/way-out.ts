import type { Outcome, TransportRequest } from '../../../src/send/http/transport.ts';
import { UndiciTransport, type UndiciTransportOptions } from '../../../src/send/http/undici-transport.ts';
import { LONG } from '../../hostile/trial.ts';
import { type EchoService, type EchoServiceOptions, startEchoService } from './echo-service.ts';
import { type ForwardProxy, type ForwardProxyOptions, startForwardProxy } from './forward-proxy.ts';

export const BODY = '{"batch":[]}';
/** The answer of an echo service. */
export const OK = { kind: 'answered', status: 200, body: '{}' };
export const NOT_SENT = { kind: 'failed', maybeSent: false };

/** Services, proxies and transports. Call `end()` after each test. */
export class WayOut {
  readonly #ends: (() => unknown)[] = [];

  async start(options: EchoServiceOptions = {}): Promise<EchoService> {
    const service = await startEchoService(options);
    this.finally(() => service.close());
    return service;
  }

  async startProxy(options?: ForwardProxyOptions): Promise<ForwardProxy> {
    const proxy = await startForwardProxy(options);
    this.finally(() => proxy.close());
    return proxy;
  }

  create(options?: UndiciTransportOptions): UndiciTransport {
    const transport = new UndiciTransport(options);
    this.finally(() => transport.close());
    return transport;
  }

  /** `last` runs at the end, before what was given earlier. */
  finally(last: () => unknown): void {
    this.#ends.push(last);
  }

  async end(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end();
  }
}

export function post(
  transport: UndiciTransport,
  { origin }: Pick<EchoService, 'origin'>,
  more: Partial<TransportRequest> = {},
): Promise<Outcome> {
  const headers = { 'content-type': 'application/json' };
  const body = new TextEncoder().encode(BODY);
  const { signal } = new AbortController();
  const url = `${origin}/api/events/batch/`;
  return transport.post({ url, headers, body, timeouts: LONG, signal, ...more });
}

/** Undici's pool uses a connection again after one turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
