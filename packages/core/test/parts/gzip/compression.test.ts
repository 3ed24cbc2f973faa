import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/entries/testing/virtual-clock.ts';
import { Compression, type Gzip, streamGzip } from '../../../src/parts/gzip/compression.ts';
import { answered, failed } from '../../bench/scripted-transport.ts';
import { bodyOf, describeGzip } from '../../contracts/gzip-contract.ts';

/** Incompressible data. */
function noise(bytes: number): Uint8Array {
  const body = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(body.subarray(at, at + 65_536));
  return body;
}

/** A body as it is sent. */
interface Encoded {
  readonly body: Uint8Array;
  readonly encoding: 'gzip' | undefined;
}

/** How a body is sent first. The answer says nothing: a proxy gives it. */
async function encode(compression: Compression, body: Uint8Array): Promise<Encoded> {
  const sent: Encoded[] = [];
  await compression.post(body, async (bytes, encoding) => {
    sent.push({ body: bytes, encoding });
    return answered(200, { body: '<!doctype html>' });
  });
  return sent[0] ?? { body, encoding: undefined };
}

async function unpacked({ body }: Encoded): Promise<Uint8Array> {
  const stream = new Blob([body as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function create(gzip: Partial<Gzip> = {}): { compression: Compression; clock: VirtualClock } {
  const clock = new VirtualClock();
  return { compression: new Compression({ ...streamGzip, ...gzip }, clock), clock };
}

/** Compares identity: to compare byte by byte would take long. */
function expectPlain(encoded: Encoded | undefined, body: Uint8Array): void {
  expect(encoded?.encoding).toBeUndefined();
  expect(encoded?.body === body).toBe(true);
}

function isSame(bytes: Uint8Array, others: Uint8Array): boolean {
  return bytes.length === others.length && bytes.every((byte, index) => byte === others[index]);
}

describe('a body', () => {
  it.each([10, 500, 3_000])('of %d events becomes smaller and the same again', async (events) => {
    const { compression, clock } = create();
    const body = bodyOf(events);
    const encoded = await encode(compression, body);
    expect(encoded.encoding).toBe('gzip');
    expect(encoded.body.length).toBeLessThan(body.length / 2);
    expect(isSame(await unpacked(encoded), body)).toBe(true);
    expect(clock.timers).toBe(0);
  });

  it('that is sent again has the same bytes, also where both are asked for at once', async () => {
    const { compression } = create();
    const body = bodyOf(100);
    const [first, second] = await Promise.all([encode(compression, body), encode(compression, body)]);
    expect(second.body === first.body).toBe(true);
    expect((await encode(compression, body)).body === first.body).toBe(true);
  });

  it('that fits into a packet stays as it is', async () => {
    const { compression } = create({ compress: () => Promise.reject(new Error('not to be asked')) });
    const body = bodyOf(2);
    expectPlain(await encode(compression, body), body);
  });

  it('that gzip cannot make smaller stays as it is, and is no failure', async () => {
    const { compression } = create();
    for (let time = 0; time < 5; time += 1) {
      const body = noise(100_000);
      expectPlain(await encode(compression, body), body);
    }
    expect((await encode(compression, bodyOf(100))).encoding).toBe('gzip');
  });
});

describeGzip('streams', streamGzip);

describe('gzip that does not work', () => {
  it.each<[string, Gzip['compress']]>([
    ['rejects', () => Promise.reject(new Error('no memory'))],
    [
      'throws',
      () => {
        throw new Error('no such stream');
      },
    ],
    ['resolves to nothing', () => Promise.resolve(undefined as never)],
    ['resolves to a text', () => Promise.resolve('gzip' as never)],
    ['resolves to an empty body', () => Promise.resolve(new Uint8Array(0))],
    ['cuts its output short', async (body) => (await streamGzip.compress(body)).subarray(0, -20)],
    ['compresses something else', () => streamGzip.compress(bodyOf(20))],
    ['leaves out the last byte', (body) => streamGzip.compress(body.subarray(0, -1))],
    ['leaves the body as it is', async (body) => body.subarray(0, -1)],
  ])('and %s leaves bodies plain, and is not asked for ever', async (_, compress) => {
    let calls = 0;
    const { compression, clock } = create({
      compress: (body) => {
        calls += 1;
        return compress(body);
      },
    });
    for (let time = 0; time < 10; time += 1) {
      const body = bodyOf(50);
      expectPlain(await encode(compression, body), body);
      expectPlain(await encode(compression, body), body);
    }
    expect(calls).toBe(3);
    expect(clock.timers).toBe(0);
  });

  it('and hangs holds a body up for five seconds, three times, and no longer', async () => {
    const { compression, clock } = create({ compress: () => new Promise(() => {}) });
    for (let time = 0; time < 3; time += 1) {
      const body = bodyOf(50);
      let encoded: Encoded | undefined;
      void encode(compression, body).then((result) => {
        encoded = result;
      });
      await clock.advance(4_999);
      expect(encoded).toBeUndefined();
      await clock.advance(1);
      expectPlain(encoded, body);
    }
    const body = bodyOf(50);
    expectPlain(await encode(compression, body), body);
    expect(clock.timers).toBe(0);
  });

  it('now and then costs nothing but that', async () => {
    let calls = 0;
    const { compression } = create({
      compress: (body) => {
        calls += 1;
        return calls % 2 === 0 ? Promise.reject(new Error('now and then')) : streamGzip.compress(body);
      },
    });
    for (let time = 0; time < 10; time += 1) {
      await compression.post(bodyOf(50), async () => answered(200));
    }
    expect(calls).toBe(10);
  });
});

describe('a service', () => {
  async function send(
    compression: Compression,
    body: Uint8Array,
    status: (encoding: 'gzip' | undefined) => number | undefined,
  ): Promise<('gzip' | 'plain')[]> {
    const tries: ('gzip' | 'plain')[] = [];
    const ask = async (_: Uint8Array, encoding?: 'gzip') => {
      tries.push(encoding ?? 'plain');
      const answer = status(encoding);
      return answer === undefined ? failed(true) : answered(answer);
    };
    for (let time = 0; time < 3; time += 1) {
      const outcome = await compression.post(body, ask);
      if (outcome.kind === 'answered' && outcome.status === 200) break;
    }
    return tries;
  }

  it('that answers 415 gets that body plain, and all others too', async () => {
    const { compression } = create();
    const first = bodyOf(50);
    await send(compression, first, () => 200);
    const second = bodyOf(50);
    expect(await send(compression, second, (encoding) => (encoding ? 415 : 200))).toEqual(['gzip', 'plain']);
    for (const body of [first, second, bodyOf(50)]) {
      expect((await encode(compression, body)).encoding).toBeUndefined();
    }
  });

  it.each([400, 422, 500, undefined])(
    'that does not take gzip and answers %s is sent plain bodies, after a few tries',
    async (status) => {
      const { compression } = create();
      const sent = [];
      for (let time = 0; time < 6; time += 1) {
        sent.push(await send(compression, bodyOf(50), (encoding) => (encoding ? status : 200)));
      }
      const tried = ['gzip', 'plain'];
      expect(sent).toEqual([tried, tried, tried, tried, ['plain'], ['plain']]);
    },
  );

  it('that was away when the first bodies were sent is sent gzip when it is back', async () => {
    const { compression } = create();
    const bodies = Array.from({ length: 8 }, () => bodyOf(50));
    for (const body of bodies) await send(compression, body, () => undefined);
    for (const body of bodies) expect(await send(compression, body, () => 200)).toEqual(['plain']);
    expect(await send(compression, bodyOf(50), () => 200)).toEqual(['gzip']);
  });

  it('that has taken gzip once is not suspected: its answers are about the events', async () => {
    const { compression } = create();
    await send(compression, bodyOf(50), () => 200);
    const body = bodyOf(50);
    const encoded = await encode(compression, body);
    expect(await send(compression, body, () => 400)).toEqual(['gzip', 'gzip', 'gzip']);
    expect(await send(compression, body, () => undefined)).toEqual(['gzip', 'gzip', 'gzip']);
    expect((await encode(compression, body)).body === encoded.body).toBe(true);
  });

  it.each([
    [400, ['gzip', undefined]],
    [500, ['gzip']],
    [200, ['gzip']],
  ])('is asked once more with the plain body where gzip may be at fault: %d', async (status, encodings) => {
    const { compression } = create();
    const asked: (string | undefined)[] = [];
    const outcome = await compression.post(bodyOf(100), async (_, encoding) => {
      asked.push(encoding);
      return answered(encoding ? status : 200);
    });
    expect(asked).toEqual(encodings);
    expect(outcome).toMatchObject({ status: encodings.length > 1 ? 200 : status });
  });

  it('that does not take gzip is asked with the plain body too where its answer is an HTML page', async () => {
    const { compression } = create();
    const asked: (string | undefined)[] = [];
    const outcome = await compression.post(bodyOf(100), async (_, encoding) => {
      asked.push(encoding);
      return encoding ? answered(415, { body: '<html><h1>415</h1></html>' }) : answered(200);
    });
    expect(asked).toEqual(['gzip', undefined]);
    expect(outcome).toMatchObject({ status: 200 });
  });

  it('that refuses a plain body says nothing about gzip', async () => {
    const { compression } = create();
    expect(await send(compression, bodyOf(1), () => 415)).toEqual(['plain', 'plain', 'plain']);
    expect((await encode(compression, bodyOf(50))).encoding).toBe('gzip');
  });
});
