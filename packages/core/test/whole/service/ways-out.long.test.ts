// Whole trackers on their way out: through a proxy, over TLS that they do not trust by default, with headers, and wrapped.
import { startEmulator } from '@sluice/emulator';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PATIENCE } from '../../../../../testing/patience.ts';
import { createTracker, type Tracker, type TrackerOptions, type Transport } from '../../../src/index.ts';
import { UndiciTransport } from '../../../src/send/http/undici-transport.ts';
import { AUTHORITY, CLIENT, type EchoService, startEchoService } from '../../send/http/echo-service.ts';
import { startForwardProxy } from '../../send/http/forward-proxy.ts';

const EVENTS = 3_000;
const ada = { correlationValue: 'ada@example.com' };

function create(options: Partial<TrackerOptions> & Pick<TrackerOptions, 'baseUrl'>): Tracker {
  const tracker = createTracker({ correlationKey: 'email', journal: 'memory', ...options });
  onTestFinished(async () => void (await tracker.close({ timeoutMs: 0 })));
  return tracker;
}

async function start(speaks: 'http' | 'mtls' | 'h2'): Promise<EchoService> {
  const service = await startEchoService({ speaks });
  onTestFinished(() => service.close());
  return service;
}

function setEnvironment(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

function track(tracker: Tracker, count: number): void {
  for (let number = 0; number < count; number += 1) tracker.track('good', { number }, ada);
}

/** The number of each event that arrived, in order. */
function numbersAt({ seen }: EchoService): number[] {
  const events = seen.flatMap(({ body }) => JSON.parse(body).batch);
  return events.map(({ payload }) => payload.number).sort((a, b) => a - b);
}

describe('a tracker', () => {
  it('delivers through the proxy of the environment, also after the proxy was away', async () => {
    const emulator = await startEmulator({ primaryKey: 'email' });
    const proxy = await startForwardProxy();
    onTestFinished(() => emulator.close());
    setEnvironment({ NODE_USE_ENV_PROXY: '1', http_proxy: proxy.url, no_proxy: '' });
    const { baseUrl, apiKey } = emulator;
    const batch = { maxEvents: 500 };
    const tracker = create({ baseUrl, apiKey, batch, delivery: { retryBaseMs: 5, retryMaxMs: 50 } });
    track(tracker, EVENTS);
    expect(await tracker.flush()).toMatchObject({ delivered: EVENTS, pending: 0 });
    expect(proxy.seen.length).toBeGreaterThanOrEqual(EVENTS / 500);
    await proxy.close();
    track(tracker, 10);
    await vi.waitFor(() => expect(tracker.stats().requests.failed).toBeGreaterThan(0), PATIENCE);
    const again = await startForwardProxy({ port: Number(new URL(proxy.url).port) });
    onTestFinished(() => again.close());
    await tracker.flush();
    expect(tracker.stats()).toMatchObject({ delivered: EVENTS + 10, pending: 0 });
    expect(await emulator.countEvents({ name: 'good' })).toEqual({
      unique: EVENTS + 10,
      received: EVENTS + 10,
    });
  });

  it.each<['mtls' | 'h2', string]>([
    ['mtls', '1.1'],
    ['h2', '2.0'],
  ])('delivers each event once over TLS of its own: %s', async (speaks, version) => {
    const service = await start(speaks);
    const connect = { ca: AUTHORITY, cert: CLIENT, key: CLIENT, allowH2: true };
    const tracker = create({ baseUrl: service.origin, delivery: { connect } });
    track(tracker, 10 * EVENTS);
    expect(await tracker.flush()).toMatchObject({ delivered: 10 * EVENTS, pending: 0 });
    expect(numbersAt(service)).toEqual(Array.from({ length: 10 * EVENTS }, (_, number) => number));
    expect(new Set(service.seen.map((each) => each.version))).toEqual(new Set([version]));
  });

  it('sends headers of the user, also through a transport of the user that wraps one of Sluice', async () => {
    const service = await start('http');
    const inner = new UndiciTransport();
    const urls: string[] = [];
    const transport: Transport = {
      post: (request) => {
        urls.push(request.url);
        return inner.post({ ...request, headers: { ...request.headers, 'x-signed': 'yes' } });
      },
      close: () => inner.close(),
    };
    const delivery = { headers: { cookie: 'session=1' } };
    for (const each of [
      create({ baseUrl: service.origin, delivery }),
      create({ baseUrl: service.origin, delivery, transport }),
    ]) {
      track(each, 1);
      expect(await each.flush()).toMatchObject({ delivered: 1, pending: 0 });
    }
    expect(urls).toEqual([`${service.origin}/api/events/batch/`]);
    const headers = { cookie: 'session=1', 'content-type': 'application/json' };
    expect(service.seen).toMatchObject([{ headers }, { headers: { ...headers, 'x-signed': 'yes' } }]);
  });

  it('throws a ConfigError where a certificate or a proxy cannot be used', () => {
    const baseUrl = 'https://127.0.0.1:9';
    const connect = { ca: AUTHORITY, cert: CLIENT, key: 'no key' };
    expect(() => create({ baseUrl, delivery: { connect } })).toThrow(
      /^delivery\.connect has a ca, cert, key/,
    );
    setEnvironment({ NODE_USE_ENV_PROXY: '1', https_proxy: 'proxy.test:3128' });
    expect(() => create({ baseUrl })).toThrow(/^HTTPS_PROXY must be a URL such as/);
  });
});
