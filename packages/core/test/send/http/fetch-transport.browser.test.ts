import { describe, expect, inject, it, vi } from 'vitest';
import { server } from 'vitest/browser';
import { PATIENCE } from '../../../../../testing/patience.ts';
import { uuid } from '../../../src/base/uuid.ts';
import { FetchTransport, type FetchTransportOptions } from '../../../src/send/http/fetch-transport.ts';
import { describeAtHostileService } from '../../contracts/hostile-contract.ts';
import { describeTransport } from '../../contracts/transport-contract.ts';
import { LONG, type Traits, Trial } from '../../hostile/trial.ts';

const create = () => new FetchTransport();
describeTransport('FetchTransport', create, inject('emulator'));
const TRAITS: Traits = {
  ...{ seesConnections: false, takesContinue: true, isBrowser: true },
  endsNonsense: server.browser === 'chromium',
  takesEarlyAnswers: server.browser !== 'webkit',
};
describeAtHostileService('FetchTransport', create, inject('hostile'), TRAITS);

describe('FetchTransport, in a page', () => {
  const { baseUrl, apiKey } = inject('emulator');
  const request = {
    url: `${baseUrl}/api/events/batch/`,
    headers: { 'content-type': 'application/json', authorization: `Api-Key ${apiKey}` },
    timeouts: LONG,
    signal: new AbortController().signal,
  };
  const body = (bytes: number) => new TextEncoder().encode(`{"batch":[],"x":"${'x'.repeat(bytes - 19)}"}`);

  it('bounds what outlives the page, over all transports, for as long as it is under way', async () => {
    const [first, second] = [create(), create()];
    const all = first.room('keepalive');
    const answer = first.post({ ...request, body: body(45_000), outlives: 'keepalive' });
    expect(all - second.room('keepalive')).toBe(45_000);
    expect(await second.post({ ...request, body: body(1_000) })).toMatchObject({ kind: 'answered' });
    expect(await answer).toMatchObject({ kind: 'answered' });
    expect(second.room('keepalive')).toBe(all);
  });

  it('keeps its bound below that of the browser', async () => {
    const transport = create();
    const bytes = transport.room('keepalive');
    // The browser may still be busy with the requests of the previous test.
    await vi.waitFor(async () => {
      const outcome = await transport.post({ ...request, body: body(bytes), outlives: 'keepalive' });
      expect(outcome).toMatchObject({ kind: 'answered' });
    }, PATIENCE);
  });

  it.runIf('fetchLater' in globalThis)(
    'takes back what was to be sent once the page is gone, where it goes on',
    async () => {
      const transport = create();
      const bytes = transport.room('later');
      const timeouts = { ...request.timeouts, headersMs: 100 };
      const outcome = transport.post({ ...request, body: body(bytes), timeouts, outlives: 'later' });
      expect(transport.room('later')).toBe(0);
      expect(await outcome).toMatchObject({ kind: 'failed', maybeSent: false });
      expect(transport.room('later')).toBe(bytes);
    },
  );

  it.runIf('fetchLater' in globalThis)('has an outcome as soon as the page is back', async () => {
    const transport = create();
    const outcome = transport.post({ ...request, body: body(100), outlives: 'later' });
    document.dispatchEvent(new Event('resume'));
    expect(await outcome).toMatchObject({ kind: 'failed', maybeSent: false });
  });

  it.runIf('fetchLater' in globalThis)(
    'knows that nothing was sent where the browser does not take it',
    async () => {
      const transport = create();
      const outcome = await transport.post({ ...request, body: body(70_000), outlives: 'later' });
      expect(outcome).toMatchObject({ kind: 'failed', maybeSent: false });
    },
  );

  it.each<[FetchTransportOptions | undefined, string | undefined]>([
    [undefined, undefined],
    [{ credentials: 'omit' }, undefined],
    [{ credentials: 'same-origin' }, undefined],
    [{ credentials: 'include' }, 'session=1'],
  ])('sends cookies to another origin only if it is told to: %j', async (options, cookie) => {
    // Cookies belong to a host, whatever the port.
    const service = new URL(inject('hostile').origin);
    service.hostname = location.hostname;
    const trial = new Trial(create, { ...inject('hostile'), origin: service.origin }, TRAITS);
    // Not `cookieStore`: in WebKit, its cookies need TLS.
    const setCookie = (text: string) => Reflect.set(document, 'cookie', text);
    setCookie('session=1');
    const allows = `access-control-allow-origin: ${origin}\r\naccess-control-allow-credentials: true`;
    const id = uuid();
    const url = trial.address({ id, says: `HTTP/1.1 204 No Content\r\n${allows}\r\n\r\n` });
    // Without headers, the browser does not ask first.
    const outcome = await trial.post(new FetchTransport(options), { url, headers: {} });
    expect(outcome).toMatchObject({ kind: 'answered', status: 204 });
    expect((await trial.seen(id)).map((seen) => seen.cookie)).toEqual([cookie]);
    setCookie('session=; max-age=0');
  });
});
