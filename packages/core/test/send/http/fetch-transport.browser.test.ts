import { describe, expect, inject, it } from 'vitest';
import { uuid } from '../../../src/base/uuid.ts';
import { FetchTransport, type FetchTransportOptions } from '../../../src/send/http/fetch-transport.ts';
import { describeTransport } from '../../contracts/transport-contract.ts';
import { LONG, Trial } from '../../hostile/trial.ts';

const create = () => new FetchTransport();
const TRAITS = {
  ...{ seesConnections: false, takesContinue: true, isBrowser: true },
  ...{ endsNonsense: false, takesEarlyAnswers: false },
};
describeTransport('FetchTransport', create, inject('emulator'));

// A module of its own, whose bound is full: requests that other tests aborted give back their part of the bound 30 s later. A
// variable of its own: inside one call, Vite would take this for the address of a file.
const here = import.meta.url;
const { href } = new URL('../../../src/send/http/fetch-transport.ts?own', here);
const own: typeof import('../../../src/send/http/fetch-transport.ts') = await import(/* @vite-ignore */ href);

describe('FetchTransport, in a page', () => {
  const create = () => new own.FetchTransport();
  const { baseUrl, apiKey } = inject('emulator');
  const request = {
    url: `${baseUrl}/api/events/batch/`,
    headers: { 'content-type': 'application/json', authorization: `Api-Key ${apiKey}` },
    timeouts: LONG,
    signal: new AbortController().signal,
  };
  const body = (bytes: number) => new TextEncoder().encode(`{"batch":[],"x":"${'x'.repeat(bytes - 19)}"}`);

  it('bounds what outlives the page, for as long as it is under way', async () => {
    const transport = create();
    const all = transport.room();
    const answer = transport.post({ ...request, body: body(20_000), outlives: true });
    expect(all - transport.room()).toBe(20_000);
    expect(await transport.post({ ...request, body: body(70_000) })).toMatchObject({ kind: 'answered' });
    expect(await answer).toMatchObject({ kind: 'answered' });
    expect(transport.room()).toBe(all);
  });

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
    const outcome = await trial.post(new own.FetchTransport(options), { url, headers: {} });
    expect(outcome).toMatchObject({ kind: 'answered', status: 204 });
    expect((await trial.seen(id)).map((seen) => seen.cookie)).toEqual([cookie]);
    setCookie('session=; max-age=0');
  });
});
