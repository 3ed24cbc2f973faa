import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../testing/full.ts';
import { type AcceptingAnswer, type Classify, classify as classifyPart } from '../../src/parts/classify.ts';
import type { ReadRejected } from '../../src/send/http/transport.ts';
import type { Parcel } from '../../src/wait/parcel.ts';
import { createBatch } from '../bench/batch.ts';
import { toEventBytes } from '../bench/event-texts.ts';

type Rejected = NonNullable<ReturnType<ReadRejected>>;

const uuids = ['a-0', 'b-1', 'c-2', 'd-3', 'e-4'];

function batchOf(texts: readonly string[]): Parcel {
  return createBatch(toEventBytes(texts), { segment: 1, from: 0, to: texts.length });
}

const batch = batchOf(uuids.map((uuid) => `{"event":"é","uuid":"${uuid}"}`));

/** What the part makes of an answer. */
function rejectedIndexes(
  batch: Parcel,
  answer: { status: number; body: string },
  hook: Classify,
  onFailed: (error: unknown) => void,
): Rejected | undefined {
  const rejected = classifyPart(hook, (callback, error) =>
    onFailed(callback === 'delivery.classify' ? error : callback),
  );
  return rejected?.(batch, { kind: 'answered', retryAfter: undefined, ...answer });
}

/** The indexes that are found in a batch of five, and the reported failures of the hook. */
function classify(hook: unknown, body = 'why'): { found: Rejected; failures: unknown[] } {
  const failures: unknown[] = [];
  const found = rejectedIndexes(batch, { status: 207, body }, hook as Classify, (error) =>
    failures.push(error),
  );
  return { found: found ?? [], failures };
}

describe('the rejected events of an accepted batch', () => {
  it('finds none where the hook names none', () => {
    for (const hook of [() => undefined, () => [], () => null]) {
      expect(classify(hook)).toEqual({ found: [], failures: [] });
    }
  });

  it('reports a hook that returns something else, also if that is empty', () => {
    for (const wrong of [false, 0, '']) expect(classify(() => wrong).failures).toHaveLength(1);
  });

  it('tells an answer of which the hook says nothing from one in which it finds nothing', () => {
    const answer = { status: 200, body: '<html>' };
    expect(
      rejectedIndexes(
        batch,
        answer,
        () => undefined,
        () => {},
      ),
    ).toBeUndefined();
    expect(
      rejectedIndexes(
        batch,
        answer,
        () => [],
        () => {},
      ),
    ).toEqual([]);
  });

  it('gives the hook the whole answer, and how many events the batch had', () => {
    const seen: AcceptingAnswer[] = [];
    const body = 'x'.repeat(60_000);
    classify((answer: AcceptingAnswer) => void seen.push(answer), body);
    expect(seen).toEqual([{ status: 207, body, count: 5 }]);
  });

  it('finds events by index and by uuid, in order, each with its reason', () => {
    const named = [{ uuid: 'd-3', reason: 'no such user' }, { index: 0 }, { uuid: 'b-1', reason: undefined }];
    expect(classify(() => named)).toEqual({
      found: [
        [0, 'why'],
        [1, 'why'],
        [3, 'no such user'],
      ],
      failures: [],
    });
  });

  it('finds an event once that is named twice', () => {
    const named = [
      { index: 2, reason: 'first' },
      { uuid: 'c-2', reason: 'second' },
    ];
    expect(classify(() => named).found).toEqual([[2, 'second']]);
  });

  it('finds an event whose uuid the answer writes in another case', () => {
    for (const uuid of ['c-2', 'C-2'])
      for (const answered of ['c-2', 'C-2']) {
        const one = batchOf([`{"uuid":"${uuid}"}`]);
        const hook = () => [{ uuid: answered }];
        expect(rejectedIndexes(one, { status: 207, body: '' }, hook, () => expect.fail())).toEqual([[0, '']]);
      }
  });

  it('finds all events that have the uuid', () => {
    const same = batchOf(['a-0', 'b-1', 'a-0'].map((uuid) => `{"uuid":"${uuid}"}`));
    const hook = () => [{ uuid: 'a-0', reason: 'no such user' }];
    expect(rejectedIndexes(same, { status: 207, body: '' }, hook, () => expect.fail())).toEqual([
      [0, 'no such user'],
      [2, 'no such user'],
    ]);
  });

  it('takes null for what is left out', () => {
    expect(classify(() => [{ index: null, uuid: 'b-1', reason: null }])).toEqual({
      found: [[1, 'why']],
      failures: [],
    });
  });

  it.each([{ toString: 1 }, Object.create(null)])(
    'finds an event also if its reason cannot become a text',
    (reason) => {
      expect(classify(() => [{ index: 1, reason }])).toEqual({ found: [[1, '']], failures: [] });
    },
  );

  it('keeps the start of a reason', () => {
    const { found } = classify(() => [{ index: 0, reason: 'x'.repeat(5_000) }]);
    expect(found[0]?.[1]).toBe('x'.repeat(1_024));
  });

  it.each<[string, unknown]>([
    ['throws', () => expect.fail('code of mine')],
    ['returns a number', () => 5],
    ['returns a text', () => 'rejected'],
    ['returns an object', () => ({ index: 1 })],
    [
      'returns an iterator without end',
      () => ({
        *[Symbol.iterator]() {
          for (;;) yield { index: 1 };
        },
      }),
    ],
    ['is asynchronous', async () => [{ index: 1 }]],
    ['rejects', async () => expect.fail('code of mine')],
  ])('finds none where the hook %s, and says so', async (_, hook) => {
    const { found, failures } = classify(hook);
    expect(found).toEqual([]);
    expect(failures).toHaveLength(1);
    // If its promise rejects later, that must not cause an unhandled rejection.
    await Promise.resolve();
  });

  it.each([
    ['index', { index: 5 }, '5'],
    ['uuid', { uuid: 'z' }, 'z'],
  ])('shows the %s that no event has', (_, named, shown) => {
    const { failures } = classify(() => [named]);
    expect(String(failures)).toContain(`an event that the batch does not have: ${shown}`);
  });

  it.each<[string, unknown]>([
    ['an index behind the last', { index: 5 }],
    ['a negative index', { index: -1 }],
    ['half an index', { index: 1.5 }],
    ['an index that is no number', { index: '1' }],
    ['an index that is NaN', { index: Number.NaN }],
    ['a uuid that no event has', { uuid: 'z' }],
    ['a uuid that is no text', { uuid: {} }],
    ['neither', {}],
    ['nothing', null],
    ['a number', 3],
    [
      'an entry that throws when it is looked at',
      {
        get index() {
          throw new Error('mine');
        },
      },
    ],
  ])('passes over %s, says so, and goes on with the others', (_, nonsense) => {
    const { found, failures } = classify(() => [{ index: 0 }, nonsense, { uuid: 'e-4' }]);
    expect(found.map(([index]) => index)).toEqual([0, 4]);
    expect(failures).toHaveLength(1);
  });

  it('finds exactly the events that are named, however they are named', () => {
    const property = fc.property(
      fc.array(fc.record({ index: fc.nat(499), byUuid: fc.boolean() })),
      (named) => {
        const large = batchOf(Array.from({ length: 500 }, (_, n) => `{"uuid":"u-${n}"}`));
        const hook = () => named.map(({ index, byUuid }) => (byUuid ? { uuid: `u-${index}` } : { index }));
        const found = rejectedIndexes(large, { status: 200, body: '' }, hook, () => expect.fail());
        const expected = [...new Set(named.map(({ index }) => index))].sort((a, b) => a - b);
        expect(found?.map(([index]) => index)).toEqual(expected);
      },
    );
    fc.assert(property, { numRuns: cases(50) });
  });
});
