import { describe, expect, it } from 'vitest';
import { findBatchProblem, findEventProblem, isBatch, isEvent, isTimestamp, isUuid } from '../src/index.ts';

const MINIMUM = {
  event: 'purchase',
  correlationKey: 'email',
  correlationValue: 'ada@x.io',
  source: 'custom',
};
const FULL = {
  ...MINIMUM,
  source: 'mobile',
  timestamp: '2026-11-21T10:15:30.000Z',
  uuid: '0190b5a2-7c1e-7cc3-98c4-dc0c0c07398f',
  payload: { total: 42.5, items: [{ sku: 'A-1' }] },
};

function messageFor(event: unknown): string | undefined {
  return findBatchProblem({ batch: [MINIMUM, FULL, MINIMUM, event] })?.message;
}

describe('a batch', () => {
  it('may hold one event', () => {
    expect(isBatch({ batch: [MINIMUM] })).toBe(true);
  });

  it('may hold events of several names, shapes and sources', () => {
    expect(findBatchProblem({ batch: [MINIMUM, FULL, { ...FULL, source: 'kiosk' }] })).toBeUndefined();
  });

  it('must hold at least one event', () => {
    expect(findBatchProblem({ batch: [] })).toEqual({
      field: 'batch',
      message: 'batch must hold at least one event, got an empty array',
    });
  });

  it.each([
    [null, 'body must be a JSON object, got null'],
    ['text', 'body must be a JSON object, got string "text"'],
    [[MINIMUM], 'body must be a JSON object, got an array'],
    [{}, 'batch must be an array of events, got nothing'],
    [{ batch: MINIMUM }, 'batch must be an array of events, got an object'],
    [{ batch: null }, 'batch must be an array of events, got null'],
    [{ batch: 'events' }, 'batch must be an array of events, got string "events"'],
  ])('of the wrong shape is named: %j', (body, message) => {
    expect(findBatchProblem(body)?.message).toBe(message);
  });

  it('names the first event at fault by its index', () => {
    const broken = { ...MINIMUM, correlationValue: 7 };
    expect(findBatchProblem({ batch: [MINIMUM, MINIMUM, MINIMUM, broken, {}] })).toEqual({
      field: 'batch[3].correlationValue',
      message: 'batch[3].correlationValue must be a non-empty string, got number 7',
    });
  });
});

describe('an event', () => {
  it('is valid with the required fields alone, or with all of them', () => {
    expect(isEvent(MINIMUM)).toBe(true);
    expect(isEvent(FULL)).toBe(true);
  });

  it('may have fields that the interface does not name', () => {
    expect(isEvent({ ...MINIMUM, extra: 1 })).toBe(true);
  });

  it.each(['event', 'correlationKey', 'correlationValue', 'source'])('must have %s as a text', (field) => {
    const rule = `batch[3].${field} must be a non-empty string, got`;
    expect(messageFor({ ...MINIMUM, [field]: undefined })).toBe(`${rule} nothing`);
    expect(messageFor({ ...MINIMUM, [field]: '' })).toBe(`${rule} an empty string`);
    expect(messageFor({ ...MINIMUM, [field]: null })).toBe(`${rule} null`);
    expect(messageFor({ ...MINIMUM, [field]: ['a'] })).toBe(`${rule} an array`);
    expect(messageFor({ ...MINIMUM, [field]: Number.NaN })).toBe(`${rule} number NaN`);
  });

  it.each([
    [undefined, 'batch[3] must be an object, got nothing'],
    [null, 'batch[3] must be an object, got null'],
    [[], 'batch[3] must be an object, got an array'],
    [() => MINIMUM, 'batch[3] must be an object, got a function'],
    [
      { ...MINIMUM, timestamp: 1764000000000 },
      'batch[3].timestamp must be an ISO 8601 UTC time with milliseconds, got number 1764000000000',
    ],
    [
      { ...MINIMUM, timestamp: null },
      'batch[3].timestamp must be an ISO 8601 UTC time with milliseconds, got null',
    ],
    [{ ...MINIMUM, uuid: 'abc' }, 'batch[3].uuid must be a UUID, got string "abc"'],
    [{ ...MINIMUM, payload: [1] }, 'batch[3].payload must be an object, got an array'],
    [{ ...MINIMUM, payload: null }, 'batch[3].payload must be an object, got null'],
  ])('of the wrong shape is named (%#)', (event, message) => {
    expect(messageFor(event)).toBe(message);
  });

  it('is called "event" where no other place is given', () => {
    expect(findEventProblem({})?.field).toBe('event.event');
    expect(findEventProblem(7, 'line 12')?.message).toBe('line 12 must be an object, got number 7');
  });
});

describe('a hostile value', () => {
  const throwing = (): never => {
    throw new Error('hostile');
  };

  it('whose getter throws is named by the field, and nothing is thrown', () => {
    const event = Object.defineProperty({ ...MINIMUM }, 'source', { get: throwing, enumerable: true });
    expect(messageFor(event)).toBe(
      'batch[3].source must be a non-empty string, got a value that throws when it is read',
    );
    const optional = Object.defineProperty({ ...MINIMUM }, 'payload', { get: throwing });
    expect(messageFor(optional)).toBe(
      'batch[3].payload must be an object, got a value that throws when it is read',
    );
  });

  it('is refused where it is a proxy whose every trap throws', () => {
    const handler = new Proxy({}, { get: throwing });
    const object = new Proxy({}, handler);
    const array = new Proxy([], handler);
    for (const value of [object, array, { batch: object }, { batch: array }, { batch: [object] }]) {
      expect(isBatch(value)).toBe(false);
    }
  });

  it('is refused where it is a revoked proxy', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(findBatchProblem(proxy)?.message).toBe('body must be a JSON object, got a revoked proxy');
    expect(findBatchProblem({ batch: proxy })?.message).toContain('got a revoked proxy');
    expect(messageFor({ ...MINIMUM, payload: proxy })).toContain('got a revoked proxy');
  });

  it('does not count by what it inherits, which JSON would leave out', () => {
    expect(isEvent(Object.create(MINIMUM))).toBe(false);
    expect(isEvent(JSON.parse(`{"__proto__": ${JSON.stringify(MINIMUM)}}`))).toBe(false);
  });

  it('is read once in each field, so that it cannot change between check and message', () => {
    let reads = 0;
    const get = (): unknown => {
      reads += 1;
      return reads === 1 ? 7 : 'purchase';
    };
    const event = Object.defineProperty({ ...MINIMUM }, 'event', { get });
    expect(messageFor(event)).toContain('got number 7');
    expect(reads).toBe(1);
  });

  it('calls none of its conversions to describe it', () => {
    const value = { toString: throwing, toJSON: throwing, valueOf: throwing, [Symbol.toPrimitive]: throwing };
    expect(messageFor({ ...MINIMUM, event: value })).toContain('got an object');
  });

  it('is refused where an array hides its entries', () => {
    const batch = Object.assign([MINIMUM, {}], { entries: () => [].entries() });
    expect(findBatchProblem({ batch })?.field).toBe('batch[1].event');
    expect(findBatchProblem({ batch: new Array(1_000_000_000) })?.field).toBe('batch[0]');
  });
});

describe('a timestamp', () => {
  it.each(['2026-11-21T10:15:30.000Z', '2024-02-29T23:59:59.999Z', '0001-01-01T00:00:00.000Z'])(
    'is taken as %s',
    (text) => expect(isTimestamp(text)).toBe(true),
  );

  it.each([
    '2026-11-21T10:15:30Z',
    '2026-11-21T10:15:30.000',
    '2026-11-21T10:15:30.000+00:00',
    '2026-11-21 10:15:30.000Z',
    '2026-11-21T10:15:30.000Z\n',
    '2026-02-30T10:15:30.000Z',
    '2025-02-29T10:15:30.000Z',
    '2026-13-01T10:15:30.000Z',
    '2026-11-21T24:00:00.000Z',
    '2026-11-21T10:60:30.000Z',
    '2026-11-21',
    '',
  ])('is not taken as %j', (text) => expect(isTimestamp(text)).toBe(false));

  it('is a text, not a Date', () => expect(isTimestamp(new Date(0))).toBe(false));
});

describe('a UUID', () => {
  it('is taken in any version and case', () => {
    expect(isUuid('0190b5a2-7c1e-7cc3-98c4-dc0c0c07398f')).toBe(true);
    expect(isUuid('F47AC10B-58CC-4372-A567-0E02B2C3D479')).toBe(true);
  });

  it.each([
    '',
    'f47ac10b58cc4372a5670e02b2c3d479',
    '{f47ac10b-58cc-4372-a567-0e02b2c3d479}',
    'g47ac10b-58cc-4372-a567-0e02b2c3d479',
  ])('is not taken as %j', (text) => expect(isUuid(text)).toBe(false));
});
