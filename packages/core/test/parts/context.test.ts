import { expect, it } from 'vitest';
import { Bench, type BenchOptions } from '../bench/bench.ts';

const ADA = { correlationValue: 'ada@example.com' };

it.each<[string, BenchOptions]>([
  ['no other hook', {}],
  ['redact', { redact: ['user.email'] }],
  ['beforeSend', { beforeSend: (draft) => draft }],
])('a field of the context is sent where that of the payload is undefined, with %s', async (_, options) => {
  const bench = new Bench({ ...options, context: { plan: 'free' } });
  bench.tracker.track('purchase', { plan: undefined, total: 1 }, ADA);
  bench.tracker.for('ada@example.com', { plan: 'view' }).track('purchase', { plan: undefined });
  await bench.pass(5);
  const sent = bench.transport.requests.flatMap(({ events }) => events);
  expect(sent).toMatchObject([{ payload: { plan: 'free', total: 1 } }, { payload: { plan: 'view' } }]);
});

it.each<BenchOptions>([{ sample: 1 }, { events: {} }, { bigint: 'string' }])(
  'an event without a payload is sent without one where there is no context: %j',
  async (options) => {
    const bench = new Bench(options);
    bench.tracker.track('purchase', undefined, ADA);
    await bench.pass(5);
    const sent = bench.transport.requests.flatMap(({ events }) => events);
    expect(sent).toEqual([expect.not.objectContaining({ payload: expect.anything() })]);
  },
);
