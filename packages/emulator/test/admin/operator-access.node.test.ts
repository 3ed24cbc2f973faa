import { request } from 'node:http';
import { CUSTOMER_READ_PATH, EVENTS_PATH, requestHeaders } from '@sluice/protocol';
import { describe, expect, it } from 'vitest';
import { isLoopback, LOCAL_KEY } from '../../src/admin/operator-access.ts';
import type { Emulator } from '../../src/running/emulator.ts';
import { startEmulator } from '../../src/running/start-emulator.ts';
import { ask, event, sendEvents } from '../service.ts';

const STATUS = '/emulator/status';

async function statusOf(emulator: Emulator, headers: Record<string, string>, path = STATUS): Promise<number> {
  return (await ask(emulator.apiUrl + path, { headers })).status;
}

/** Does not use fetch, because that sets Host and Cookie itself. */
function statusWith(
  emulator: Emulator,
  headers: Record<string, string>,
  path = STATUS,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(emulator.apiUrl + path, { headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

/** What a browser sends as the user clicks a link on another site. */
const LINK = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};

describe('pages and routes on loopback', () => {
  it('are for whoever is on this machine', async () => {
    await using emulator = await startEmulator();
    expect(emulator.pagesUrl).toBe(`${emulator.apiUrl}/`);
    expect(await statusOf(emulator, {})).toBe(200);
    expect(await statusOf(emulator, { origin: emulator.apiUrl })).toBe(200);
  });

  it('are not for pages of another origin, whatever these send along', async () => {
    await using emulator = await startEmulator();
    const origin = 'https://elsewhere.example';
    expect(await statusOf(emulator, { origin })).toBe(403);
    expect(await statusOf(emulator, { origin, authorization: 'Bearer anything' })).toBe(403);
    expect(await statusOf(emulator, { origin, authorization: `Api-Key ${emulator.apiKey}` })).toBe(403);
    expect(await statusOf(emulator, { origin: emulator.baseUrl })).toBe(403);
    expect(await statusOf(emulator, { 'sec-fetch-site': 'cross-site' })).toBe(403);
    const preflight = await fetch(emulator.apiUrl + STATUS, { method: 'OPTIONS', headers: { origin } });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('are reached by a link of another site: the pages, not the routes', async () => {
    await using emulator = await startEmulator();
    expect(await statusWith(emulator, LINK, '/')).toBe(200);
    expect(await statusWith(emulator, { ...LINK, 'sec-fetch-dest': 'iframe' }, '/')).toBe(403);
    expect(await statusWith(emulator, { ...LINK, 'sec-fetch-mode': 'no-cors' }, '/')).toBe(403);
    expect(await statusWith(emulator, LINK)).toBe(403);
    expect(await statusWith(emulator, LINK, '/emulator/events/export')).toBe(403);
  });

  it('are not reached by a name of elsewhere that leads to this machine', async () => {
    await using emulator = await startEmulator();
    expect(await statusWith(emulator, { host: 'rebound.example' })).toBe(403);
    expect(await statusWith(emulator, { host: 'localhost' })).toBe(200);
  });
});

const READABLE = ['/events', '/events/count', '/events/values?field=name', '/events/export', '/counts'];

describe('an API key from another origin', () => {
  const OTHERS = [
    ...[
      '/status',
      '/live',
      '/keys',
      '/requests',
      '/requests/1',
      '/customers',
      '/customers/export',
      '/primary-key',
    ],
    ...['/behaviour', '/faults', '/catalogue', '/events/1', '/events/', '/eventsx', '/x'],
  ];

  it.each([undefined, 'a-token'])('reads events and counts, and nothing else (token: %s)', async (token) => {
    await using emulator = await startEmulator({ primaryKey: 'email', token });
    await sendEvents(emulator, event());
    const headers = { origin: 'https://elsewhere.example', authorization: `Api-Key ${emulator.apiKey}` };
    for (const path of READABLE) {
      const { status, headers: answered } = await fetch(`${emulator.apiUrl}/emulator${path}`, { headers });
      expect([path, status, answered.get('access-control-allow-origin')]).toEqual([path, 200, '*']);
    }
    for (const path of OTHERS) {
      const { status, headers: answered } = await fetch(`${emulator.apiUrl}/emulator${path}`, { headers });
      expect([path, status, answered.get('access-control-allow-origin')]).toEqual([path, 403, null]);
    }
    const sent = await ask(`${emulator.apiUrl}/emulator/clear`, { method: 'POST', headers });
    expect(sent.status).toBe(403);
  });

  it('is needed: a page without one reads nothing, not even on this machine', async () => {
    await using emulator = await startEmulator();
    const origin = 'https://elsewhere.example';
    for (const path of READABLE) {
      expect(await statusOf(emulator, { origin }, `/emulator${path}`)).toBe(403);
      expect(await statusOf(emulator, { 'sec-fetch-site': 'cross-site' }, `/emulator${path}`)).toBe(403);
      expect(await statusOf(emulator, { origin, authorization: 'Bearer x' }, `/emulator${path}`)).toBe(403);
      expect(await statusOf(emulator, { origin, authorization: 'Api-Key x' }, `/emulator${path}`)).toBe(403);
    }
  });

  it('is needed where a token is, too, unless the token is there', async () => {
    await using emulator = await startEmulator({ token: 'a-token' });
    expect(await statusOf(emulator, {}, '/emulator/counts')).toBe(403);
    expect(await statusOf(emulator, { authorization: 'Bearer a-token' }, '/emulator/counts')).toBe(200);
  });

  it('may be sent by a page: the preflight allows it', async () => {
    await using emulator = await startEmulator();
    const headers = {
      origin: 'https://elsewhere.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    };
    const { status, headers: answered } = await fetch(`${emulator.apiUrl}/emulator/counts?name=x`, {
      method: 'OPTIONS',
      headers,
    });
    expect([status, answered.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(answered.get('access-control-allow-headers')).toContain('authorization');
  });
});

describe('the API key that everybody knows', () => {
  const authorization = `Api-Key ${LOCAL_KEY}`;

  it.each([undefined, 'a-token'])('reads for no page of another machine (token: %s)', async (token) => {
    await using emulator = await startEmulator({ apiKey: LOCAL_KEY, primaryKey: 'email', token });
    await sendEvents(emulator, event());
    for (const path of READABLE.map((each) => `/emulator${each}`)) {
      for (const origin of ['https://elsewhere.example', 'http://localhost.example:5173', 'null'])
        expect([path, origin, await statusOf(emulator, { authorization, origin }, path)]).toEqual([
          path,
          origin,
          403,
        ]);
      // DNS rebinding: for the browser, the page is of the same origin.
      expect(await statusWith(emulator, { authorization, host: 'rebound.example' }, path)).toBe(403);
    }
  });

  it('reads for processes and pages on this machine', async () => {
    await using emulator = await startEmulator({ apiKey: LOCAL_KEY });
    const { apiUrl: origin, baseUrl } = emulator;
    for (const path of READABLE.map((each) => `/emulator${each}`)) {
      expect(await statusOf(emulator, { authorization }, path)).toBe(200);
      expect(await statusWith(emulator, { authorization, host: 'localhost:4200' }, path)).toBe(200);
      for (const page of [origin, baseUrl, 'http://localhost:5173', 'http://[::1]:5173'])
        expect([page, await statusOf(emulator, { authorization, origin: page }, path)]).toEqual([page, 200]);
    }
  });

  it('reads customers for processes and pages on this machine alone', async () => {
    const customers = [{ email: 'ada@example.com' }];
    await using emulator = await startEmulator({ apiKey: LOCAL_KEY, primaryKey: 'email', customers });
    const readFrom = (headers: Record<string, string>, key = LOCAL_KEY) =>
      ask(emulator.apiUrl + CUSTOMER_READ_PATH, {
        method: 'POST',
        headers: { ...requestHeaders(key), ...headers },
        body: JSON.stringify({ primary_key: 'ada@example.com' }),
      });
    expect(await readFrom({})).toMatchObject({ status: 200, body: { email: 'ada@example.com' } });
    for (const origin of [emulator.apiUrl, 'http://localhost:5173', 'http://[::1]:5173'])
      expect([origin, (await readFrom({ origin })).status]).toEqual([origin, 200]);
    for (const origin of ['https://elsewhere.example', 'http://localhost.example:5173', 'null'])
      expect(await readFrom({ origin })).toMatchObject({
        status: 403,
        body: { error: { code: 'not_operator', message: expect.stringContaining('Start with --api-key') } },
      });
    const key = await emulator.createApiKey();
    expect(await readFrom({ origin: 'https://elsewhere.example' }, key)).toMatchObject({ status: 200 });
  });

  it('sends events from any page', async () => {
    await using emulator = await startEmulator({ apiKey: LOCAL_KEY, primaryKey: 'email' });
    const headers = {
      authorization,
      origin: 'https://elsewhere.example',
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ batch: [event()] });
    const sent = await ask(emulator.baseUrl + EVENTS_PATH, { method: 'POST', headers, body });
    expect([sent.status, sent.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  });
});

describe('pages and routes elsewhere', () => {
  it('are for whoever has the token, which is new for each start and in the address of the pages', async () => {
    await using emulator = await startEmulator({ host: '0.0.0.0' });
    const token = new URL(emulator.pagesUrl).searchParams.get('token') ?? '';
    expect(token.length).toBeGreaterThan(20);
    expect(await statusOf(emulator, {})).toBe(403);
    expect(await statusOf(emulator, { authorization: 'Bearer wrong' })).toBe(403);
    expect(await statusOf(emulator, { authorization: `Bearer ${token}` })).toBe(200);
    expect((await fetch(`${emulator.apiUrl}/`)).status).toBe(403);
  });

  it('remember the token of a page in a cookie that scripts never see, and in one for links of other sites, which opens the pages only', async () => {
    await using emulator = await startEmulator({ host: '0.0.0.0', token: 'a-token' });
    const first = await fetch(emulator.pagesUrl, { redirect: 'manual' });
    expect([first.status, first.headers.get('location')]).toEqual([302, '/']);
    const cookies = first.headers.getSetCookie();
    expect(cookies.map((cookie) => cookie.split('; ').slice(2))).toEqual([
      ['HttpOnly', 'SameSite=Strict'],
      ['HttpOnly', 'SameSite=Lax'],
    ]);
    const [pair = '', ofLinks = ''] = cookies.map((cookie) => cookie.split(';', 1)[0] ?? '');
    expect(await statusWith(emulator, { cookie: pair })).toBe(200);
    expect(await statusWith(emulator, { ...LINK, cookie: ofLinks }, '/')).toBe(200);
    expect(await statusWith(emulator, { ...LINK, cookie: pair })).toBe(403);
    // Browsers send no Sec-Fetch headers to an address like this one.
    expect(await statusWith(emulator, { cookie: ofLinks })).toBe(403);
    // A page at another port of the host is same-site.
    expect(await statusWith(emulator, { cookie: pair, origin: emulator.baseUrl })).toBe(403);
    expect(await statusWith(emulator, { cookie: `${pair.replace(/=.*/, '')}=%` })).toBe(403);
  });

  it('are open for several emulators on one host at once, each with its token', async () => {
    await using one = await startEmulator({ token: 'one' });
    await using other = await startEmulator({ token: 'other' });
    const cookies = new Map<string, string>(); // as a browser keeps them: by name, not by port
    for (const { pagesUrl } of [one, other]) {
      const { headers } = await fetch(pagesUrl, { redirect: 'manual' });
      const [name = '', value = ''] = headers.get('set-cookie')?.split(/[=;]/, 2) ?? [];
      cookies.set(name, value);
    }
    const cookie = Array.from(cookies, (pair) => pair.join('=')).join('; ');
    expect([await statusWith(one, { cookie }), await statusWith(other, { cookie })]).toEqual([200, 200]);
  });

  it('give no cookie for a wrong token, and say how to present the right one', async () => {
    await using emulator = await startEmulator({ host: '0.0.0.0', token: 'a-token' });
    const answer = await fetch(`${emulator.apiUrl}/?token=another`, { redirect: 'manual' });
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('open the pages with ?token=TOKEN');
  });
});

it.each([
  ['127.0.0.1', true],
  ['localhost', true],
  ['::1', true],
  ['127.8.8.8', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.1.4', false],
  ['127.0.0.1.example', false],
])('takes %s for loopback: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});
