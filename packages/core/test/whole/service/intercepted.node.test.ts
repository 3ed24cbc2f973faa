import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTracker, type Tracker, type TrackerOptions } from '../../../src/index.ts';

const PAGE = '<!doctype html>\n<html><title>Sign in to the network</title></html>';

let server: Server;
/** The answer with status 200: its content type, its body, which never comes if it is undefined, and its content encoding. */
let answer: [type: string, body: string | Buffer | undefined, encoding?: string];
/** Events of requests whose answer was not a page. */
let taken = 0;

beforeEach(async () => {
  taken = 0;
  server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const [type, body, encoding = 'identity'] = answer;
    if (typeof body === 'string' && !body.trimStart().startsWith('<')) taken += JSON.parse(text).batch.length;
    response.setHeader('content-type', type).setHeader('content-encoding', encoding);
    if (body === undefined) response.flushHeaders();
    else response.end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function trackTwenty(
  delivery: NonNullable<TrackerOptions['delivery']> = {},
  bodyTimeoutMs = 60_000,
): Tracker {
  const tracker = createTracker({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ apiKey: 'first', correlationKey: 'email', journal: 'memory', delivery },
    advanced: { bodyTimeoutMs },
  });
  for (let n = 0; n < 20; n += 1) tracker.track('event', { n }, { correlationValue: 'ada@example.com' });
  return tracker;
}

/** Twenty events wait while something else answers, and are delivered once the service does. */
async function expectThatTheyWait(tracker: Tracker): Promise<void> {
  expect(await tracker.flush({ timeoutMs: 30_000 })).toMatchObject({ delivered: 0, pending: 20 });
  expect(tracker.stats().pause).toMatchObject({ reason: 'intercepted', status: 200 });
  answer = ['application/json', '{}'];
  tracker.setApiKey('second');
  expect(await tracker.flush()).toMatchObject({ delivered: 20, pending: 0 });
  expect(taken).toBe(20);
  await tracker.close();
}

describe('a host that answers any request with 200 and a page', () => {
  it.each([
    ['text/html; charset=utf-8', PAGE],
    ['text/html', '<h1>It works!</h1>'],
    ['text/html', '<head><meta http-equiv="refresh" content="0; url=/login"></head>'],
    ['text/html', '<title>Offline</title>'],
    ['text/html', '<p>You are offline</p>'],
    ['text/html', '<script>location = "/login"</script>'],
    [
      'application/xhtml+xml',
      `<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x">`,
    ],
    ['text/plain', `\n<!-- a portal -->\n${PAGE}`],
    ['application/json', '<HTML lang="en">'],
  ])('takes no events: they wait, and are delivered later (%s)', async (type, body) => {
    answer = [type, body];
    await expectThatTheyWait(trackTwenty());
  });

  it.each<[string, NonNullable<TrackerOptions['delivery']>]>([
    ['its policy', { policy: { '200': 'accept' } }],
    ['its policy for the class', { policy: { '2xx': 'accept' } }],
    [
      'classify, which finds no rejected event in it',
      { classify: ({ body }) => (body === PAGE ? [] : undefined) },
    ],
  ])('is believed where the user says so by %s', async (_, delivery) => {
    answer = ['text/html', PAGE];
    const tracker = trackTwenty(delivery);
    expect(await tracker.flush()).toMatchObject({ delivered: 20, pending: 0 });
    await tracker.close();
  });
});

describe('a host that answers any request with 200 and HTML that cannot be read', () => {
  const utf16 = Buffer.from(`\ufeff${PAGE}`, 'utf16le');

  it.each<[string, typeof answer]>([
    ['is gzipped', ['text/html', gzipSync(PAGE), 'gzip']],
    ['is in UTF-16', ['text/html; charset=utf-16', utf16]],
    ['is in UTF-16 with the other byte order', ['text/html', Buffer.from(utf16).swap16()]],
    ['never comes', ['text/html; charset=utf-8', undefined]],
  ])('takes no events: they wait, and are delivered later (it %s)', async (_, page) => {
    answer = page;
    await expectThatTheyWait(trackTwenty({}, page[1] === undefined ? 20 : undefined));
  });

  it('is believed where the policy of the user says so', async () => {
    answer = ['text/html', gzipSync(PAGE), 'gzip'];
    const tracker = trackTwenty({ policy: { '2xx': 'accept' } });
    expect(await tracker.flush()).toMatchObject({ delivered: 20, pending: 0 });
    await tracker.close();
  });
});

describe('a service is believed', () => {
  it.each<[string, typeof answer]>([
    ['a word in another character set', ['text/html', Buffer.from('reçu', 'latin1')]],
    ['what is gzipped, but not called HTML', ['application/json', gzipSync('{}'), 'gzip']],
  ])('that answers with %s', async (_, given) => {
    answer = given;
    const tracker = trackTwenty();
    expect(await tracker.flush()).toMatchObject({ delivered: 20, pending: 0 });
    await tracker.close();
  });

  it.each([
    ['text/html', ''],
    ['text/html; charset=utf-8', 'OK'],
    ['application/json', '{"html":"<html></html>"}'],
    ['application/xml', '<?xml version="1.0"?><accepted/>'],
  ])('that answers with %s: %s', async (type, body) => {
    answer = [type, body];
    const tracker = trackTwenty();
    expect(await tracker.flush()).toMatchObject({ delivered: 20, pending: 0 });
    await tracker.close();
  });
});
