import { readFileSync } from 'node:fs';
import { CUSTOMER_READ_PATH, EVENTS_PATH, requestHeaders } from '@sluice/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { REFUSALS, Refusal, type RefusalCode } from '../src/events/refusal.ts';
import { startEmulator } from '../src/index.ts';
import { type Answer, ask, event, post, readCustomer, send } from './service.ts';

const emulator = await startEmulator({ primaryKey: 'email', behaviour: { maxBodyBytes: 1_000_000 } });
const unset = await startEmulator();
afterAll(() => Promise.all([emulator.close(), unset.close()]));

const eventsUrl = emulator.baseUrl + EVENTS_PATH;
const readUrl = emulator.apiUrl + CUSTOMER_READ_PATH;

function withHeaders(url: string, headers: Record<string, string>, body = '{}'): Promise<Answer> {
  return ask(url, { method: 'POST', headers, body });
}

function expectRefusal(answer: Answer, code: RefusalCode, message: string, field?: string): void {
  const error = {
    code,
    message: expect.stringContaining(message),
    ...(field === undefined ? {} : { field }),
  };
  expect({ status: answer.status, body: answer.body }).toEqual({
    status: REFUSALS[code],
    body: { error },
  });
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
}

describe.each([
  ['event ingestion', eventsUrl],
  ['reading a customer', readUrl],
])('%s refuses', (_, url) => {
  const { apiKey } = emulator;

  it.each(['', '{', '{"batch":[}', 'batch=1', "{'a':1}", '{} {}'])('malformed JSON: %s', async (text) => {
    expectRefusal(await post(url, apiKey, text), 'malformed_json', 'The body must be JSON');
  });

  it('text that is not UTF-8', async () => {
    const body = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]);
    const answer = await ask(url, { method: 'POST', headers: requestHeaders(apiKey), body });
    expectRefusal(answer, 'malformed_json', 'it is not UTF-8');
  });

  it('a missing key', async () => {
    const answer = await withHeaders(url, { 'content-type': 'application/json' });
    expectRefusal(answer, 'missing_api_key', 'Authorization must be "Api-Key <API_KEY>"');
    expect(answer.headers.get('www-authenticate')).toBe('Api-Key');
  });

  it.each(['Bearer canary', 'canary', 'Api-Key', 'api-key canary'])(
    'another form of key: %s',
    async (header) => {
      const answer = await withHeaders(url, { authorization: header });
      expectRefusal(answer, 'malformed_authorization', 'another form');
      expect(JSON.stringify(answer.body)).not.toContain('canary');
    },
  );

  it('a wrong key, without repeating it', async () => {
    const answer = await withHeaders(url, { authorization: 'Api-Key canary' });
    expectRefusal(answer, 'unknown_api_key', 'not one of this emulator');
    expect(JSON.stringify(answer.body)).not.toContain('canary');
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('the method %s', async (method) => {
    const answer = await ask(url, { method, headers: requestHeaders(apiKey) });
    expectRefusal(answer, 'wrong_method', `takes POST, got ${method}`);
    expect(answer.headers.get('allow')).toBe('POST, OPTIONS');
  });

  it('the method HEAD, without a body', async () => {
    const answer = await ask(url, { method: 'HEAD' });
    expect(answer).toMatchObject({ status: 405, body: undefined });
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])(
    'the type %s',
    async (type) => {
      const answer = await withHeaders(url, { ...requestHeaders(apiKey), 'content-type': type });
      expectRefusal(answer, 'unsupported_content_type', `must be application/json, got "${type}"`);
    },
  );

  it('a compressed body', async () => {
    const answer = await withHeaders(url, { ...requestHeaders(apiKey), 'content-encoding': 'gzip' });
    expectRefusal(answer, 'unsupported_content_encoding', 'got "gzip"');
  });

  it('a body that is too large, whether its length is announced or not', async () => {
    const text = JSON.stringify({ filler: 'x'.repeat(1_000_000) });
    expectRefusal(await post(url, apiKey, text), 'body_too_large', 'not be larger than 1000000 bytes');
    const body = new Blob([text]).stream();
    const chunked = { method: 'POST', headers: requestHeaders(apiKey), body, duplex: 'half' };
    expectRefusal(
      await ask(url, chunked as RequestInit),
      'body_too_large',
      'not be larger than 1000000 bytes',
    );
  });

  it('a body that is nested beyond all reason', async () => {
    expectRefusal(await post(url, apiKey, '['.repeat(200_000)), 'nested_too_deeply', '10000 levels');
  });

  it('to serve before a primary key is selected', async () => {
    const answers = [await send(unset, { batch: [event()] }), await readCustomer(unset, 'ada@example.com')];
    for (const answer of answers) expectRefusal(answer, 'no_primary_key', 'Select one');
  });
});

describe('event ingestion refuses a batch', () => {
  it.each([
    [null, 'body', 'body must be a JSON object, got null'],
    [[event()], 'body', 'body must be a JSON object, got an array'],
    [{}, 'batch', 'batch must be an array of events, got nothing'],
    [{ batch: event() }, 'batch', 'batch must be an array of events, got an object'],
    [{ batch: [event(), 7] }, 'batch[1]', 'batch[1] must be an object, got number 7'],
    [{ batch: [{ ...event(), source: '' }] }, 'batch[0].source', 'got an empty string'],
    [{ batch: [event(), { ...event(), correlationValue: 7 }] }, 'batch[1].correlationValue', 'got number 7'],
    [{ batch: [{ ...event(), timestamp: 'today' }] }, 'batch[0].timestamp', 'got string "today"'],
    [{ batch: [{ ...event(), uuid: '7' }] }, 'batch[0].uuid', 'must be a UUID'],
    [{ batch: [{ ...event(), payload: [] }] }, 'batch[0].payload', 'got an array'],
    ['{"__proto__":{"batch":[]}}', 'batch', 'batch must be an array of events, got nothing'],
  ])('with a field missing or wrong: %j', async (body, field, message) => {
    expectRefusal(await send(emulator, body === null ? 'null' : body), 'invalid_field', message, field);
  });

  it('without any event', async () => {
    expectRefusal(await send(emulator, { batch: [] }), 'empty_batch', 'at least one event', 'batch');
  });

  it('whose correlationKey is not the selected primary key', async () => {
    const batch = [event(), event({ correlationKey: 'phone' })];
    const message = 'must be the selected primary key "email", got "phone"';
    expectRefusal(
      await send(emulator, { batch }),
      'wrong_correlation_key',
      message,
      'batch[1].correlationKey',
    );
  });
});

describe('reading a customer refuses a request', () => {
  it.each([
    ['null', 'body', 'body must be a JSON object, got null'],
    ['[]', 'body', 'body must be a JSON object, got an array'],
    ['{}', 'primary_key', 'primary_key must be a non-empty string, got nothing'],
    ['{"primary_key":7}', 'primary_key', 'got number 7'],
    ['{"primary_key":""}', 'primary_key', 'got an empty string'],
  ])('with a field missing or wrong: %s', async (body, field, message) => {
    expectRefusal(await post(readUrl, emulator.apiKey, body), 'invalid_field', message, field);
  });
});

describe('an unknown path', () => {
  const path = (answer: Answer, message: string): void => expectRefusal(answer, 'unknown_path', message);

  it('is explained where only the trailing slash is missing, or is too many', async () => {
    path(await post(eventsUrl.slice(0, -1), emulator.apiKey, '{}'), 'the trailing slash is missing');
    path(await post(`${readUrl}/`, emulator.apiKey, '{}'), 'it has no trailing slash');
  });

  it('is explained where it belongs to the other base address', async () => {
    path(
      await post(emulator.apiUrl + EVENTS_PATH, emulator.apiKey, '{}'),
      `base address, ${emulator.baseUrl}`,
    );
    const read = emulator.baseUrl + CUSTOMER_READ_PATH;
    path(await post(read, emulator.apiKey, '{}'), `base address, ${emulator.apiUrl}`);
    for (const own of ['/', '/emulator/status'])
      path(await ask(emulator.baseUrl + own), `base address, ${emulator.apiUrl}`);
  });

  it('is answered with the paths that there are', async () => {
    path(await ask(`${emulator.baseUrl}/favicon.ico`), `there is ${EVENTS_PATH}`);
    path(await ask(`${emulator.apiUrl}/%F0%00?x=1`), CUSTOMER_READ_PATH);
    const own = await fetch(`${emulator.apiUrl}/emulator/request`);
    expect(await own.text()).toContain('/emulator/status, other routes below /emulator');
  });
});

describe('the table of refusals', () => {
  it('gives each refusal its status and its body', () => {
    const refusal = new Refusal('invalid_field', 'a message', { field: 'batch' });
    expect(refusal.status).toBe(422);
    expect(refusal.body).toEqual({ error: { code: 'invalid_field', message: 'a message', field: 'batch' } });
  });

  it('is explained in the README, each with its status', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const rows = readme.matchAll(/^\| (\d{3}) \| `(\w+)` \| \S.* \|$/gm);
    expect(Object.fromEntries(Array.from(rows, ([, status, code]) => [code, Number(status)]))).toEqual(
      REFUSALS,
    );
  });
});
