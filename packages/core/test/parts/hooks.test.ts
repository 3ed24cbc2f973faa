import { expect, it } from 'vitest';
import { ConfigError } from '../../src/index.ts';
import { Bench, type BenchOptions } from '../bench/bench.ts';

interface Sent {
  readonly event: string;
  readonly correlationValue: string;
  readonly payload?: Record<string, unknown>;
}

const ADA = { correlationValue: 'ada@example.com' };

/** A schema as the libraries of Standard Schema make them. */
function schema(validate: (value: { total?: unknown }) => unknown) {
  return { '~standard': { version: 1, vendor: 'test', validate } } as never;
}

const hasTotal = schema((value) =>
  typeof value.total === 'number'
    ? { value: { total: Math.round(value.total) } }
    : { issues: [{ message: 'Expected a number', path: [{ key: 'total' }] }] },
);

/** Tracks one event for each payload, and returns what the service receives. */
async function send(options: BenchOptions, ...payloads: unknown[]): Promise<{ sent: Sent[]; bench: Bench }> {
  const bench = new Bench(options);
  for (const payload of payloads) bench.tracker.track('purchase', payload as object, ADA);
  await bench.pass(5);
  return { sent: bench.transport.requests.flatMap(({ events }) => events as Sent[]), bench };
}

it('context is in each payload, as it is when the event is tracked; fields of the payload and of a view win', async () => {
  let page = 0;
  const context = () => ({ page: ++page, app: 'shop' });
  const { sent, bench } = await send({ context }, undefined, { app: 'own' });
  expect(sent.map(({ payload }) => payload)).toEqual([
    { page: 1, app: 'shop' },
    { page: 2, app: 'own' },
  ]);
  bench.tracker.for('ada@example.com', { app: 'view' }).track('purchase', { total: 1 });
  await bench.pass(5);
  expect(bench.transport.requests.at(-1)?.events).toMatchObject([
    { payload: { page: 3, app: 'view', total: 1 } },
  ]);
});

it('beforeSend changes name and payload, drops with null, and cannot touch the other fields', async () => {
  const seen: unknown[] = [];
  const { sent, bench } = await send(
    {
      context: { app: 'shop' },
      beforeSend(draft) {
        seen.push(draft);
        if (draft.payload.total === 0) return null;
        return {
          ...draft,
          event: 'order',
          payload: { ...draft.payload, tax: 1 },
          correlationValue: 'eve',
          uuid: '-',
        };
      },
    },
    { total: 0 },
    { total: 2 },
  );
  expect(seen).toEqual([
    { event: 'purchase', payload: { app: 'shop', total: 0 }, correlationValue: 'ada@example.com' },
    { event: 'purchase', payload: { app: 'shop', total: 2 }, correlationValue: 'ada@example.com' },
  ]);
  expect(sent).toEqual([expect.objectContaining({ event: 'order', correlationValue: 'ada@example.com' })]);
  expect(sent[0]?.payload).toEqual({ app: 'shop', total: 2, tax: 1 });
  expect(bench.tracker.stats()).toMatchObject({ accepted: 2, delivered: 1, dropped: { filtered: 1 } });
});

it.each([
  [
    'throws',
    () => {
      throw new Error('no');
    },
  ],
  ['returns nothing', () => undefined],
  ['returns a promise', async (draft: object) => draft],
  ['returns a payload that is none', (draft: object) => ({ ...draft, payload: 'text' })],
])('a beforeSend that %s loses no event, and is reported once', async (_what, beforeSend) => {
  const { sent, bench } = await send({ beforeSend: beforeSend as never }, { total: 1 }, { total: 2 });
  expect(sent.map(({ payload }) => payload)).toEqual([{ total: 1 }, { total: 2 }]);
  expect(bench.callbacksFailed.map(({ callback }) => callback)).toEqual(['beforeSend']);
});

it('a context that throws or returns no object loses no event', async () => {
  for (const context of [
    () => {
      throw new Error('no');
    },
    () => 'text',
  ]) {
    const { sent, bench } = await send({ context: context as never }, { total: 1 });
    expect(sent.map(({ payload }) => payload)).toEqual([{ total: 1 }]);
    expect(bench.callbacksFailed.map(({ callback }) => callback)).toEqual(['context']);
  }
});

it('redact hides values by path, in arrays and behind toJSON too, and changes no object of the application', async () => {
  const user = { email: 'ada@example.com', name: 'Ada' };
  const items = [{ note: 'a', sku: 1 }, { note: 'b', sku: 2 }, 'text'];
  const hidden = { toJSON: () => ({ secret: 1, open: 2 }) };
  const { sent } = await send(
    { redact: ['user.email', 'items.*.note', 'hidden.secret', 'missing.path', 'total.deep', '__proto__.x'] },
    { user, items, hidden, total: 1 },
    { toJSON: () => ({ user }) },
  );
  expect(sent.map(({ payload }) => payload)).toEqual([
    {
      user: { email: '[redacted]', name: 'Ada' },
      items: [{ note: '[redacted]', sku: 1 }, { note: '[redacted]', sku: 2 }, 'text'],
      hidden: { secret: '[redacted]', open: 2 },
      total: 1,
    },
    { user: { email: '[redacted]', name: 'Ada' } },
  ]);
  expect([user.email, items[0]]).toEqual(['ada@example.com', { note: 'a', sku: 1 }]);
});

it('redact applies to what beforeSend and context add', async () => {
  const { sent } = await send(
    {
      redact: ['ip', 'mail'],
      context: { ip: '::1' },
      beforeSend: (draft) => ({ ...draft, payload: { ...draft.payload, mail: 'x' } }),
    },
    {},
  );
  expect(sent[0]?.payload).toEqual({ ip: '[redacted]', mail: '[redacted]' });
});

it("bigint: 'string' sends the digits, wherever the bigint is, and other values as they are", async () => {
  const cycle: Record<string, unknown> = { id: 1n };
  cycle.self = cycle;
  const at = new Date(0);
  const { sent, bench } = await send(
    { bigint: 'string', context: { id: 7n } },
    { total: 2n ** 64n, list: [1n, 2, { deep: 3n }], at, json: { toJSON: () => 4n } },
    cycle,
  );
  expect(sent.map(({ payload }) => payload)).toEqual([
    { id: '7', total: '18446744073709551616', list: ['1', 2, { deep: '3' }], at: at.toJSON(), json: '4' },
  ]);
  expect(bench.tracker.stats().invalid).toBe(1);
});

it("bigint: 'string' looks at no more values than an event may have bytes", () => {
  const cycle: Record<string, unknown> = { id: 1n };
  Object.assign(cycle, { one: cycle, two: cycle });
  const { tracker } = new Bench({ bigint: 'string', maxEventBytes: 1_000 });
  for (const payload of [
    cycle,
    { list: new Uint8Array(50_000_000) },
    { text: Object('x'.repeat(10_000_000)) },
  ])
    tracker.track('purchase', payload as object, ADA);
  expect(tracker.stats()).toMatchObject({ accepted: 0, invalid: 3 });
});

it('sample keeps all events of a customer or none, and about the part that was asked for', async () => {
  const bench = new Bench({ sample: 0.25 });
  for (let customer = 0; customer < 400; customer += 1)
    for (const name of ['one', 'two', 'three'])
      bench.tracker.track(name, {}, { correlationValue: `customer-${customer}@example.com` });
  await bench.pass(50);
  const { delivered, dropped } = bench.tracker.stats();
  expect(delivered + dropped.sampled).toBe(1_200);
  expect(delivered % 3).toBe(0);
  expect(delivered / 3).toBeGreaterThan(60);
  expect(delivered / 3).toBeLessThan(140);
});

it('a schema refuses a payload by field and event, and its output is what is sent', async () => {
  const errors: string[] = [];
  const bench = new Bench({ events: { purchase: hasTotal }, context: { app: 'shop' } });
  bench.tracker.on('invalid', ({ error }) => errors.push(`${error.field}: ${error.message}`));
  for (const payload of [{ total: 1.4 }, { total: '2' }]) bench.tracker.track('purchase', payload, ADA);
  bench.tracker.track('view', { total: 'any' }, ADA);
  await bench.pass(5);
  const sent = bench.transport.requests.flatMap(({ events }) => events as Sent[]);
  expect(sent.map(({ payload }) => payload)).toEqual([
    { app: 'shop', total: 1 },
    { app: 'shop', total: 'any' },
  ]);
  expect(errors).toEqual(['payload.total: payload.total of "purchase": Expected a number']);
});

it('validate: sampled checks the first and then every hundredth event of a name; never checks none', async () => {
  const counts: number[] = [];
  for (const validate of ['always', 'sampled', 'never'] as const) {
    const { bench } = await send({ events: { purchase: hasTotal }, validate }, ...Array(201).fill({}));
    counts.push(bench.tracker.stats().invalid);
  }
  expect(counts).toEqual([201, 3, 0]);
});

it('an asynchronous schema is a ConfigError', () => {
  const isAsync = schema(async () => ({ value: {} }));
  expect(() => new Bench({ events: { purchase: isAsync } })).toThrow(ConfigError);
  expect(() => new Bench({ events: { purchase: {} as never } })).toThrow(
    /^events\.purchase must be a synchronous Standard Schema/,
  );
});

// The part `checked` of a page does not search schemas.
it.skipIf('document' in globalThis).each<[string, object]>([
  ['an asynchronous function', { def: { shape: { total: { checks: [{ fn: async () => true }] } } } }],
  ['what Valibot marks as asynchronous', { entries: { total: { pipe: [{ async: true }] } } }],
  ['an asynchronous check of Zod', { _zod: { def: { checks: [{ _zod: { check: async () => {} } }] } } }],
])('a schema with %s deep inside is a ConfigError that says so', (_, inside) => {
  const events = {
    purchase: Object.assign(
      schema((value) => ({ value })),
      inside,
    ),
  };
  expect(() => new Bench({ events })).toThrow(
    'events.purchase must be a synchronous Standard Schema, got an asynchronous schema',
  );
});

it('a schema may have asynchronous methods of its own, as in Zod, and may lead back to itself', async () => {
  const own = { parseAsync: async () => ({}), _zod: {} };
  const purchase: object = Object.assign(
    schema((value) => ({ value })),
    own,
  );
  Object.assign(own._zod, { parent: purchase });
  const { sent } = await send({ events: { purchase: purchase as never } }, { total: 1 });
  expect(sent.map(({ payload }) => payload)).toEqual([{ total: 1 }]);
});

it.each<[string, (value: { readonly total?: number }) => unknown]>([
  ['itself', (value) => (value.total ? Promise.reject(new Error('late')) : { value })],
  [
    'a field, as in ArkType',
    ({ total }) => ({ value: { total: total && Promise.reject(new Error('late')) } }),
  ],
])('a schema that turns out to be asynchronous later makes the event invalid: %s', async (_, validate) => {
  const errors: string[] = [];
  const bench = new Bench({ events: { purchase: schema(validate as never) } });
  bench.tracker.on('invalid', ({ error }) => errors.push(error.message));
  bench.tracker.track('purchase', { total: 1 }, ADA);
  await bench.pass(5);
  expect(errors).toEqual(['payload of "purchase": asynchronous schema']);
  expect(bench.tracker.stats()).toMatchObject({ accepted: 0, invalid: 1 });
});

it('hooks run once: not again for an event that is held, waits for consent or is sent again', async () => {
  let calls = 0;
  const bench = new Bench({
    consent: 'pending',
    beforeSend: (draft) => {
      calls += 1;
      return draft;
    },
  });
  bench.answer(() => 503);
  bench.tracker.track('purchase', { n: 0 }, ADA);
  bench.tracker.setConsent('granted');
  await bench.pass(5_000);
  bench.answer(() => 200);
  await bench.pass(600_000);
  expect([bench.tracker.stats().delivered, calls]).toEqual([1, 1]);
});

it.each([
  ['sample', 2],
  ['redact', 'user'],
  ['redact', [1]],
  ['redact', ['user..email']],
  ['redact', ['.email']],
  ['redact', ['user.']],
  ['beforeSend', true],
  ['context', 5],
  ['events', []],
  ['validate', 'some'],
])('%s: %j is a ConfigError that names it', (option, value) => {
  expect(() => new Bench({ [option]: value })).toThrow(new RegExp(`^${option} must be`));
});

it('redact hides what an object gives away again by a toJSON of its own', async () => {
  class User {
    email = 'ada@example.com';
    phone = '1';
    toJSON = () => ({ ...this });
  }
  const { sent } = await send(
    { redact: ['user.email', 'email', 'phone', 'user.phone'], context: { release: 1 } },
    { user: new User() },
    new User(),
  );
  const safe = { email: '[redacted]', phone: '[redacted]' };
  expect(sent.map(({ payload }) => payload)).toEqual([
    { release: 1, user: safe },
    { release: 1, ...safe },
  ]);
});

it('redact hides values in a payload that has a name for its kind', async () => {
  class User {
    email = 'ada@example.com';
    get [Symbol.toStringTag]() {
      return 'User';
    }
  }
  const { sent, bench } = await send({ redact: ['email'] }, new User(), new Map(), []);
  expect(sent.map(({ payload }) => payload)).toEqual([{ email: '[redacted]' }]);
  expect(bench.tracker.stats().invalid).toBe(2);
});

it('redact hides values whose names have dots', async () => {
  const { sent } = await send(
    { redact: ['user.email', 'items.*.a.b'] },
    {
      'user.email': 'ada@example.com',
      user: { email: 'x', 'email.old': 1 },
      items: [{ 'a.b': 1 }, { a: { b: 2 } }],
    },
  );
  expect(sent.map(({ payload }) => payload)).toEqual([
    {
      'user.email': '[redacted]',
      user: { email: '[redacted]', 'email.old': 1 },
      items: [{ 'a.b': '[redacted]' }, { a: { b: '[redacted]' } }],
    },
  ]);
});
