import { expect, it, vi } from 'vitest';
import { pageContext } from '../../src/parts/hooks.ts';
import { Bench, type BenchOptions } from '../bench/bench.ts';

/** Tracks one event for each payload, and returns the payloads that the service receives. */
async function send(options: BenchOptions, ...payloads: unknown[]) {
  const bench = new Bench(options);
  for (const payload of payloads)
    bench.tracker.track('purchase', payload as object, { correlationValue: 'ada@example.com' });
  await bench.pass(5);
  const sent = bench.transport.requests.flatMap(({ events }) => events as { payload?: object }[]);
  return { sent: sent.map(({ payload }) => payload), bench };
}

const failing = {
  get url() {
    throw new Error('no');
  },
};

it.each([
  ['object', failing],
  ['function', () => failing],
])('a context that has a getter that throws loses no event (%s)', async (_, context) => {
  const { sent, bench } = await send({ context }, { total: 1 });
  expect(sent).toEqual([{ total: 1 }]);
  expect(bench.callbacksFailed).toMatchObject([{ callback: 'context', error: { message: 'no' } }]);
});

it('a beforeSend that changes fields of its event, and then throws, changes nothing', async () => {
  const beforeSend = (draft: { payload: object }) => {
    Reflect.deleteProperty(draft.payload, 'total');
    throw new Error('mine');
  };
  const { sent } = await send({ beforeSend: beforeSend as never }, { total: 1 });
  expect(sent).toEqual([{ total: 1 }]);
});

it('a schema that throws, also for an empty payload as the tracker is made, loses no event', async () => {
  const validate = (value: { items: { sku: string }[] }) =>
    value.items[0]?.sku ? { value } : { issues: [{ message: 'no items' }] };
  const events = { purchase: { '~standard': { version: 1, vendor: 'test', validate } } as never };
  const { sent, bench } = await send({ events }, { items: [{ sku: 'A' }] }, { items: null }, { items: [] });
  expect(sent).toEqual([{ items: [{ sku: 'A' }] }, { items: null }]);
  expect(bench.callbacksFailed).toMatchObject([{ callback: 'events.purchase' }]);
  expect(bench.tracker.stats().invalid).toBe(1);
});

it.each<BenchOptions>([{ redact: ['user.email'] }, { bigint: 'string' }])(
  'what JSON cannot hold is refused with %j too, never sent in part',
  async (options) => {
    const error = Object.assign(new Error('x'), { id: 1n });
    const { sent, bench } = await send(options, { user: new Map([['email', 'x']]) }, { user: error });
    expect(sent).toEqual([]);
    expect(bench.tracker.stats().invalid).toBe(2);
  },
);

it.each<BenchOptions>([{ redact: ['lines.*.email'] }, { bigint: 'string' }])(
  'an array of a class that takes something else than a length is copied, with %j too',
  async (options) => {
    class Lines extends Array<object> {
      constructor(lines: readonly object[]) {
        super();
        for (const line of lines) this.push(line);
      }
    }
    const { sent } = await send(options, { lines: new Lines([{ sku: 1 }]) });
    expect(sent).toEqual([{ lines: [{ sku: 1 }] }]);
  },
);

it.each<BenchOptions>([{ redact: ['user.email'] }, { bigint: 'string' }])(
  'a property called __proto__ is data, with %j too',
  async (options) => {
    const text = '{"user":{"__proto__":{"plan":"pro"},"email":"[redacted]"},"__proto__":{"k":1}}';
    const payload = JSON.parse(text);
    Object.assign(payload, options.bigint && { n: 1n });
    const { sent } = await send(options, payload);
    expect(JSON.stringify(sent[0])).toBe(options.bigint ? text.replace(/}$/, ',"n":"1"}') : text);
  },
);

it('a tracker with hooks draws no random number as it is made: a worker forbids that in global scope', () => {
  const random = vi.spyOn(Math, 'random').mockImplementation(() => {
    throw new Error('not in global scope');
  });
  try {
    expect(() => new Bench({ redact: ['email'], sample: 0.5 })).not.toThrow();
  } finally {
    random.mockRestore();
  }
});

it('pageContext() knows no viewport where there is no page', () => {
  const isPage = typeof document === 'object';
  expect(pageContext().viewport).toEqual(isPage ? expect.stringMatching(/^\d+x\d+$/) : undefined);
});

const cycle: Record<string, unknown> = {};
cycle.self = cycle;

it.each<[string, () => object]>([
  ['a cycle', () => cycle],
  ['a Map', () => ({ found: new Map() })],
  ['a bigint', () => ({ id: 1n })],
  ['too much', () => ({ text: 'x'.repeat(300_000) })],
])('what context() or beforeSend() adds that cannot be sent loses no event: %s', async (_, made) => {
  const contextual = await send({ context: made as never }, { total: 1 });
  expect(contextual.sent).toEqual([{ total: 1 }]);
  expect(contextual.bench.callbacksFailed).toMatchObject([{ callback: 'context' }]);
  const beforeSend = ({ event, payload }: { event: string; payload: object }) => ({
    event,
    payload: { ...payload, ...made() },
  });
  const changed = await send({ beforeSend: beforeSend as never }, { total: 1 });
  expect(changed.sent).toEqual([{ total: 1 }]);
  expect(changed.bench.callbacksFailed).toMatchObject([{ callback: 'beforeSend' }]);
});

it('a beforeSend that returns an event without a name loses none', async () => {
  const { sent, bench } = await send({ beforeSend: ({ payload }) => ({ event: '', payload }) }, { total: 1 });
  expect([sent, bench.callbacksFailed.length]).toEqual([[{ total: 1 }], 1]);
});

it('what cannot be sent anyway is not the fault of a beforeSend', async () => {
  const { sent, bench } = await send({ beforeSend: (draft) => draft }, { found: new Map() });
  expect([sent, bench.callbacksFailed, bench.tracker.stats().invalid]).toEqual([[], [], 1]);
});
