import { describe, expect, it } from 'vitest';
import { createRelay, type RelayOptions } from '../../src/index.ts';
import { openSite, optionsOf, pageEvent, post, service } from '../bench/site.ts';

const SHOP = 'https://shop.example';

describe('the origin of a page', () => {
  it('must be that of the relay, exactly', async () => {
    const site = await openSite(optionsOf(await service()));
    const { host } = new URL(site.origin);
    const cookie = 'session=ada';
    for (const origin of [site.origin, `https://${host}`]) {
      expect(await site.send({}, { origin, cookie })).toMatchObject({ status: 200 });
    }
    const wrong = [
      undefined,
      '',
      'null',
      `http://x.${host}`,
      `${site.origin}0`,
      `${site.origin}/`,
      host,
      'http://127.0.0.1',
    ];
    for (const origin of wrong) {
      expect(await site.send({}, { origin, cookie }), origin).toMatchObject({ status: 403 });
    }
    expect(await site.send({}, { host: 'evil.example', cookie })).toMatchObject({ status: 403 });
  });

  it('has no port where a proxy adds the usual one to Host', async () => {
    const site = await openSite(optionsOf(await service()));
    const statusOf = async (host: string, origin: string) =>
      (await site.send({}, { host, origin, cookie: 'session=ada' })).status;
    expect(await statusOf('shop.example:443', SHOP)).toBe(200);
    expect(await statusOf('shop.example:80', 'http://shop.example')).toBe(200);
    expect(await statusOf('shop.example:80', SHOP)).toBe(403);
    expect(await statusOf('shop.example:8443', SHOP)).toBe(403);
    expect(await statusOf('shop.example', `${SHOP}:443`)).toBe(403);
  });

  it('may be one of a list: then the answers have CORS headers for it, and for no other', async () => {
    const site = await openSite(optionsOf(await service(), { origins: [SHOP] }));
    const ticket = await site.ticket();
    expect(ticket).toBe('undefined');
    const preflight = (origin: string) =>
      post(`${site.origin}/s`, '', { origin, 'access-control-request-method': 'POST' }, 'OPTIONS');
    expect(await preflight(SHOP)).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-origin': SHOP, 'access-control-allow-methods': 'POST' },
    });
    expect((await preflight(SHOP)).headers).not.toHaveProperty('access-control-allow-credentials');
    const refused = await preflight('https://evil.example');
    expect(refused.status).toBe(403);
    expect(refused.headers).not.toHaveProperty('access-control-allow-origin');
    // The preflight, and the request for a ticket.
    expect(site.relay.stats().refused).toEqual({ wrong_origin: 2 });
    const answered = await site.send(
      { batch: [pageEvent()] },
      { origin: SHOP, 'sec-fetch-site': 'same-site' },
    );
    expect(answered).toMatchObject({
      status: 401,
      headers: { 'access-control-allow-origin': SHOP, vary: 'origin' },
    });
  });

  it('of its own needs no preflight, and gets no CORS header', async () => {
    const site = await openSite(optionsOf(await service()));
    const answered = await site.send({}, { cookie: 'session=ada' });
    expect(Object.keys(answered.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    for (const method of ['GET', 'PUT', 'DELETE', 'HEAD']) {
      const { status, headers } = await post(`${site.origin}/s`, '', { origin: site.origin }, method);
      expect([status, headers.allow]).toEqual([405, 'POST']);
    }
  });
});

it('the error of a wrong list names the item that is wrong', () => {
  const create = (options: Partial<RelayOptions>) => () =>
    createRelay(optionsOf({ baseUrl: 'http://127.0.0.1:9', apiKey: 'key' }, options));
  expect(create({ origins: [SHOP, `${SHOP}/`] })).toThrow(
    'origins must be a list of origins, such as "https://shop.example", got string "https://shop.example/"',
  );
  expect(create({ proxies: ['10.0.0.0/99'] })).toThrow('got string "10.0.0.0/99"');
});
