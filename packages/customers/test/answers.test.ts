import { describe, expect, it } from 'vitest';
import { type CustomerAnswer, CustomerNotFoundError, DeliveryError } from '../src/index.ts';
import { ADA, json, KEY, rejection, scripted, TIMEOUT_MS } from './scripted-fetch.ts';

const POST = 'POST http://127.0.0.1:4200/customers/read';

async function failureOf(response: () => Response, options = {}): Promise<DeliveryError> {
  const error = await rejection(scripted([response], { retries: 0, ...options }).reader.read('a'));
  if (error instanceof DeliveryError) return error;
  throw error;
}

describe('no such customer', () => {
  it('is what 404 means, with a hint at a wrong address', async () => {
    const { reader, sent } = scripted([() => json({ error: 'unknown' }, { status: 404 })]);
    const error = await rejection(reader.read('bob@example.com'));
    expect(error).toBeInstanceOf(CustomerNotFoundError);
    expect(error).toMatchObject({
      code: 'SLUICE_CUSTOMER_NOT_FOUND',
      name: 'CustomerNotFoundError',
      primaryKey: 'bob@example.com',
      status: 404,
      message:
        'no customer has the primary key string "bob@example.com" (status 404); if none ever has, check apiUrl',
    });
    expect(sent).toHaveLength(1);
  });

  it('shows no key that was read in the place of a customer', async () => {
    const { reader } = scripted([() => json({}, { status: 404 }), () => json({}, { status: 404 })]);
    for (const [given, primaryKey] of [
      [KEY, '[key]'],
      [`Api-Key ${KEY}\n`, 'Api-Key [key]\n'],
    ] as const) {
      const error = await rejection(reader.read(given));
      expect(error).toMatchObject({ code: 'SLUICE_CUSTOMER_NOT_FOUND', primaryKey });
      expect((error as Error).stack).not.toContain('canary');
    }
  });

  it('may be told by the caller from any answer, also from a success', async () => {
    const isNotFound = ({ json }: CustomerAnswer): boolean => (json as { ok?: boolean }).ok === false;
    for (const status of [200, 400, 503]) {
      const { reader, sent } = scripted([() => json({ ok: false }, { status })], { isNotFound });
      const error = await rejection(reader.read('a'));
      expect(error).toMatchObject({ code: 'SLUICE_CUSTOMER_NOT_FOUND', status });
      expect(String(error)).not.toContain('apiUrl');
      expect(sent).toHaveLength(1);
    }
  });

  it('is no longer 404 where the caller says what it is', async () => {
    const error = await failureOf(() => json({}, { status: 404 }), { isNotFound: () => false });
    expect(error).toMatchObject({ status: 404, retryable: false });
  });

  it('is told from the status, the text and its value', async () => {
    const seen: CustomerAnswer[] = [];
    const isNotFound = (answer: CustomerAnswer): boolean => {
      seen.push(answer);
      return true;
    };
    for (const body of ['{"a":1}', 'not json']) {
      await rejection(scripted([() => new Response(body, { status: 400 })], { isNotFound }).reader.read('a'));
    }
    expect(seen).toEqual([
      { status: 400, body: '{"a":1}', json: { a: 1 } },
      { status: 400, body: 'not json', json: undefined },
    ]);
  });

  it('is not told where the predicate throws: the read ends with what it threw', async () => {
    const bug = new Error('bug');
    const isNotFound = (): boolean => {
      throw bug;
    };
    const { reader, sent } = scripted([() => json(ADA)], { isNotFound });
    expect(await rejection(reader.read('a'))).toBe(bug);
    expect(sent).toHaveLength(1);
  });
});

describe('an asynchronous isNotFound', () => {
  it('is waited for: a customer is not missing because the answer is a promise', async () => {
    const { reader } = scripted([() => json(ADA)], { isNotFound: async () => false });
    expect(await reader.read('a')).toEqual(ADA);
  });

  it('may say that there is no such customer', async () => {
    const isNotFound = async ({ status }: CustomerAnswer): Promise<boolean> => status === 400;
    const { reader } = scripted([() => json({}, { status: 400 })], { isNotFound });
    expect(await rejection(reader.read('a'))).toBeInstanceOf(CustomerNotFoundError);
  });

  it('that rejects ends the read with its reason, and nothing is sent again', async () => {
    const bug = new Error('bug');
    const { reader, sent } = scripted([() => json(ADA)], { isNotFound: () => Promise.reject(bug) });
    expect(await rejection(reader.read('a'))).toBe(bug);
    expect(sent).toHaveLength(1);
  });

  it('that never ends is cut off by the time-out, and by the signal of the read', async () => {
    const controller = new AbortController();
    let ask: () => void = () => {};
    const isNotFound = (): Promise<boolean> => {
      ask();
      return new Promise(() => {});
    };
    const { reader, clock } = scripted([() => json(ADA)], { isNotFound, retries: 0 });
    ask = () => clock.advance(TIMEOUT_MS);
    expect(String(await rejection(reader.read('a')))).toContain(`timed out after ${TIMEOUT_MS} ms`);
    ask = () => controller.abort();
    const error = await rejection(reader.read('a', { signal: controller.signal }));
    expect(error).toMatchObject({ name: 'AbortError' });
  });
});

describe('a 404 that is a web page', () => {
  const page =
    (body: string, type = 'text/html; charset=utf-8') =>
    (): Response =>
      new Response(body, { status: 404, headers: { 'content-type': type } });

  it.each([
    ['by its type', '<h1>Not Found</h1>', 'text/html; charset=utf-8'],
    ['by its type alone', 'Not Found', 'TEXT/HTML'],
    ['by its body, whatever its type', '\n <!DOCTYPE html><p>', 'text/plain'],
    ['of XML', '<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>', 'application/xml'],
  ])('%s means a wrong address, not a missing customer', async (_, body, type) => {
    const error = await failureOf(page(body, type));
    expect(error).toMatchObject({ status: 404, retryable: false });
    expect(error.message).toContain(
      `${POST} was answered 404 with a web page: correct apiUrl, or set isNotFound: ${JSON.stringify(body).slice(0, 3)}`,
    );
  });

  it('means so, too, if it is too large to read', async () => {
    const error = await failureOf(page('x'.repeat(100)), { maxResponseBytes: 50 });
    expect(error.message).toContain('with a web page');
  });

  it('may be told to mean that there is no such customer', async () => {
    const { reader } = scripted([page('<p>')], { isNotFound: ({ status }) => status === 404 });
    expect(await rejection(reader.read('a'))).toBeInstanceOf(CustomerNotFoundError);
  });
});

it.each([
  ['without a body', '', 'text/html'],
  ['with a text', 'No customer has this key.', 'text/plain'],
  ['with JSON that quotes HTML', '{"error":"<p>"}', 'application/json'],
])('a 404 %s may be how the service says that there is no such customer', async (_, body, type) => {
  const answer = (): Response => new Response(body, { status: 404, headers: { 'content-type': type } });
  expect(await rejection(scripted([answer]).reader.read('a'))).toBeInstanceOf(CustomerNotFoundError);
});

describe('a success that is no customer', () => {
  it.each([
    ['', ''],
    ['null', ': "null"'],
    ['[]', ': "[]"'],
    ['7', ': "7"'],
    ['"a"', ': "\\"a\\""'],
    ['<html>', ': "<html>"'],
    ['{"a":', ': "{\\"a\\":"'],
  ])('is an error that says what came: %s', async (body, what) => {
    expect(await failureOf(() => new Response(body))).toMatchObject({
      message: `${POST} was answered 200 without a JSON object${what}`,
      status: 200,
      retryable: false,
      excerpt: body,
    });
  });

  it('may have no body at all', async () => {
    const error = await failureOf(() => new Response(null, { status: 204 }));
    expect(error.message).toBe(`${POST} was answered 204 without a JSON object`);
  });
});

describe('a refusal', () => {
  it('is an error with the status and the start of the body', async () => {
    const body = `{"error":"line\n${'x'.repeat(10_000)}"}`;
    const error = await failureOf(() => new Response(body, { status: 400, headers: { 'retry-after': '5' } }));
    expect(error).toMatchObject({ status: 400, retryable: false, retryAfterMs: 5000 });
    expect(error.excerpt).toBe(body.slice(0, 200));
    expect(error.message).toContain(`${POST} was answered 400: "{\\"error\\":\\"line\\nxxx`);
    expect(error.message.length).toBeLessThan(400);
  });

  it.each([401, 403])('with %i says to check the key', async (status) => {
    const error = await failureOf(() => json({ error: 'no' }, { status }));
    expect(error.message).toBe(`${POST} was answered ${status}: check apiKey: "{\\"error\\":\\"no\\"}"`);
  });

  it('without a body has no excerpt in its message', async () => {
    const error = await failureOf(() => new Response(null, { status: 500 }));
    expect(error.message).toBe(`${POST} was answered 500`);
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with %i is not followed', async (status) => {
    const headers = { location: 'http://elsewhere.example/customers/read' };
    const { reader, sent } = scripted([() => new Response(null, { status, headers }), () => json(ADA)]);
    expect(await rejection(reader.read('a'))).toMatchObject({
      message: `${POST} was redirected to ${headers.location}: correct apiUrl`,
      status,
      retryable: false,
    });
    expect(sent).toHaveLength(1);
  });

  it('without a location says so', async () => {
    expect(await failureOf(() => new Response(null, { status: 302 }))).toMatchObject({
      message: `${POST} was redirected to an unknown address: correct apiUrl`,
      status: 302,
    });
  });

  it('that a browser hides is told by its type', async () => {
    const hidden = { status: 0, type: 'opaqueredirect', headers: new Headers(), body: null };
    const error = await rejection(scripted([() => hidden]).reader.read('a'));
    expect(error).toMatchObject({ code: 'SLUICE_DELIVERY', status: undefined, retryable: false });
    expect(String(error)).toContain('was redirected to an unknown address: correct apiUrl');
  });

  it('that a fetch of the caller followed all the same is an error', async () => {
    const followed = { status: 200, redirected: true, headers: new Headers(), body: json(ADA).body };
    const error = await rejection(scripted([() => followed]).reader.read('a'));
    expect(String(error)).toContain('was redirected to an unknown address: correct apiUrl');
  });
});

describe('an answer that is too large', () => {
  it('is an error by its status, without an excerpt, and is not tried again', async () => {
    const { reader, sent } = scripted([() => json({ a: 'x'.repeat(100) })], { maxResponseBytes: 50 });
    expect(await rejection(reader.read('a'))).toMatchObject({
      message: `${POST} was answered 200 with more than maxResponseBytes (50)`,
      status: 200,
      retryable: false,
      excerpt: '',
    });
    expect(sent).toHaveLength(1);
    expect(sent[0]?.request.signal.aborted).toBe(true);
  });

  it('may have just as many bytes as are allowed', async () => {
    const { reader } = scripted([() => new Response('{"a":"żż"}')], { maxResponseBytes: 12 });
    expect(await reader.read('a')).toEqual({ a: 'żż' });
  });

  it('may still be told to mean that there is no such customer', async () => {
    const large = (): Response => new Response('x'.repeat(100), { status: 404 });
    const { reader } = scripted([large], { maxResponseBytes: 50 });
    expect(await rejection(reader.read('a'))).toBeInstanceOf(CustomerNotFoundError);
  });
});

describe('the key', () => {
  it('is in no error, even where the service echoes it', async () => {
    const echoes = [
      (): Response => json({ you_sent: `Api-Key ${KEY}` }, { status: 400 }),
      (): Response => new Response(`${KEY} `.repeat(100), { status: 500 }),
      (): Response => new Response(`${'x'.repeat(200 - KEY.length + 3)}${KEY}`, { status: 400 }),
      (): Response => json([KEY]),
      (): Response => json(KEY),
      (): Response => new Response(null, { status: 302, headers: { location: `http://x/?k=${KEY}` } }),
      (): Response => {
        throw new TypeError(`bad header ${KEY}`, { cause: new Error(KEY) });
      },
    ];
    for (const echo of echoes) {
      const error = await failureOf(echo);
      const cause = error.cause instanceof Error ? `${error.cause.stack} ${error.cause.cause}` : '';
      const all = `${error.message} ${error.stack} ${JSON.stringify(error)} ${error.excerpt} ${cause}`;
      expect(all).not.toContain('canary');
      expect(all).not.toContain('5f2d');
    }
  });
});
