import { expect, it } from 'vitest';
import { Bench } from '../bench/bench.ts';

interface Sent {
  readonly correlationValue: string;
  readonly payload?: Record<string, unknown>;
}

/** The events that the service received. */
function sent({ transport }: Bench): Sent[] {
  return transport.requests.flatMap(({ events }) => events as Sent[]);
}

it('views of one tracker give each event its customer, whatever the order', async () => {
  const bench = new Bench();
  const views = ['ada', 'bob', 'cyd'].map((name) => bench.tracker.for(`${name}@example.com`));
  for (let round = 0; round < 2; round += 1) for (const view of views) view.track('step');
  await bench.pass(5);
  const names = sent(bench)
    .map(({ correlationValue }) => correlationValue[0])
    .join('');
  expect(names).toBe('abcabc');
});

it('a view ignores identify(), and a customer of the event itself wins', async () => {
  const bench = new Bench();
  bench.tracker.identify('program@example.com');
  const { track } = bench.tracker.for('ada@example.com');
  track('one');
  track('two', {}, { correlationValue: 'bob@example.com' });
  track('three', {}, { correlationValue: undefined });
  await bench.pass(5);
  const names = sent(bench)
    .map(({ correlationValue }) => correlationValue[0])
    .join('');
  expect(names).toBe('aba');
});

it('the context of a view is in each payload, and a field of the payload wins', async () => {
  const bench = new Bench();
  const view = bench.tracker.for('ada@example.com', { request: 7, page: '/' });
  view.track('one');
  view.track('two', {});
  view.track('three', { page: '/cart', total: 42.5 });
  view.track('four', { toJSON: () => ({ total: 1 }) });
  bench.tracker.for('ada@example.com', {}).track('five', { total: 2 });
  await bench.pass(5);
  expect(sent(bench).map(({ payload }) => payload)).toEqual([
    { request: 7, page: '/' },
    { request: 7, page: '/' },
    { request: 7, page: '/cart', total: 42.5 },
    { request: 7, page: '/', total: 1 },
    { total: 2 },
  ]);
});

it('a view takes null in the place of options', async () => {
  const bench = new Bench();
  bench.tracker.for('ada@example.com').track('step', {}, null as never);
  expect(bench.tracker.stats()).toMatchObject({ accepted: 1, invalid: 0 });
});

it('a view reports options that throw', () => {
  const bench = new Bench();
  const options = {
    get uuid(): string {
      throw new Error('no');
    },
  };
  bench.tracker.track('step', {}, options);
  bench.tracker.for('ada@example.com').track('step', {}, options);
  expect(bench.tracker.stats()).toMatchObject({ accepted: 0, invalid: 2 });
});

it('a view never throws: a customer, payload or context that cannot be sent is reported as invalid', () => {
  const bench = new Bench();
  const problems: string[] = [];
  bench.tracker.on('invalid', ({ error }) => problems.push(error.field));
  const wrong = [
    ['', undefined, {}],
    [42, undefined, {}],
    ['ada', { id: 1n }, {}],
    [
      'ada',
      {
        get now() {
          throw new Error('no');
        },
      },
      {},
    ],
    ['ada', { a: 1 }, 'text'],
    ['ada', { a: 1 }, new Map()],
  ] as const;
  for (const [customer, context, payload] of wrong)
    bench.tracker.for(customer as string, context).track('step', payload as object);
  expect(problems).toEqual([
    'correlationValue',
    'correlationValue',
    'payload.id',
    'payload',
    'payload',
    'payload',
  ]);
});
