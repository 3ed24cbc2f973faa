import { InvalidEventError, isEvent } from '@sluice/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../testing/full.ts';
import { EventTexts, type TrackOptions } from '../../src/accept/event-text.ts';
import { anyText } from '../bench/any-text.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 15, 30, 7);
const MAX_BYTES = 256 * 1024;
const UUID = '01234567-89ab-4cde-8f01-23456789abcd';

function createTexts(correlationValue: string | undefined = 'ada@example.com'): EventTexts {
  const texts = new EventTexts({ correlationKey: 'email', source: 'custom', maxEventBytes: MAX_BYTES });
  texts.correlationValue = correlationValue;
  return texts;
}

function parse(
  options: TrackOptions = {},
  payload?: unknown,
  { texts = createTexts(), now = NOW } = {},
): Record<string, unknown> {
  return JSON.parse(texts.create('purchase', payload, options, now));
}

/** The error that create() throws for these parameters. They may have wrong types. */
function refusal(name: unknown, options: unknown = {}, texts: EventTexts = createTexts()): InvalidEventError {
  try {
    texts.create(name, undefined, options as TrackOptions, NOW);
  } catch (error) {
    if (error instanceof InvalidEventError) return error;
    throw error;
  }
  throw new Error('the event was not refused');
}

describe('EventTexts.create', () => {
  it('makes an event of a name alone, with defaults for all else', () => {
    const event = parse();
    expect(event).toEqual({
      event: 'purchase',
      correlationKey: 'email',
      correlationValue: 'ada@example.com',
      source: 'custom',
      timestamp: '2026-11-21T10:15:30.007Z',
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(isEvent(event)).toBe(true);
  });

  it('takes what the options say in place of the defaults', () => {
    const options = {
      correlationValue: 'bob@example.com',
      timestamp: '2020-02-29T23:59:59.999Z',
      uuid: UUID,
      source: 'mobile',
    };
    const event = parse(options, { total: 42.5 });
    expect(event).toEqual({
      event: 'purchase',
      correlationKey: 'email',
      ...options,
      payload: { total: 42.5 },
    });
    expect(isEvent(event)).toBe(true);
  });

  it('takes an option that is undefined for one that is absent', () => {
    const options = { correlationValue: undefined, timestamp: undefined, uuid: undefined, source: undefined };
    expect(parse({ ...options })).toMatchObject({ ...parse(), uuid: expect.stringMatching(/^.{36}$/) });
  });

  it('looks at an option once: what it shows the second time goes into no body unchecked', () => {
    const shown = ['"},{', undefined];
    const options = {
      get uuid() {
        return shown.shift();
      },
    };
    expect(() => parse(options)).toThrow('uuid must be a UUID');
  });

  it('needs no default user where the event names one', () => {
    const texts = new EventTexts({ correlationKey: 'email', source: 'custom', maxEventBytes: MAX_BYTES });
    expect(parse({ correlationValue: 'bob' }, undefined, { texts })).toMatchObject({
      correlationValue: 'bob',
    });
  });

  it('gives each event a uuid of its own', () => {
    const uuids = Array.from({ length: 100 }, () => parse().uuid);
    expect(new Set(uuids).size).toBe(100);
  });

  it.each<[string, Date | number | string]>([
    ['a Date', new Date('1999-12-31T23:59:59.999Z')],
    ['milliseconds', Date.UTC(1999, 11, 31, 23, 59, 59, 999)],
    ['ISO 8601', '1999-12-31T23:59:59.999Z'],
  ])('takes the time as %s', (_, timestamp) => {
    expect(parse({ timestamp }).timestamp).toBe('1999-12-31T23:59:59.999Z');
  });

  it('stamps each event with its own time, also where others of that time went before', () => {
    const texts = createTexts();
    const times = [NOW, NOW, NOW + 1, NOW, 0, -1, NOW].map(
      (now) => parse({}, undefined, { texts, now }).timestamp,
    );
    expect(times).toEqual([
      ...['2026-11-21T10:15:30.007Z', '2026-11-21T10:15:30.007Z', '2026-11-21T10:15:30.008Z'],
      ...['2026-11-21T10:15:30.007Z', '1970-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z'],
      '2026-11-21T10:15:30.007Z',
    ]);
  });

  it('takes a date for what its time is, whatever its methods say of it', () => {
    const timestamp = Object.assign(new Date(0), { toISOString: () => '"},{"event":"forged"},{"' });
    expect(parse({ timestamp }).timestamp).toBe('1970-01-01T00:00:00.000Z');
  });

  it('takes the first and the last moment of the years 0 to 9999', () => {
    const texts = ['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'];
    expect(texts.map((text) => parse({ timestamp: Date.parse(text) }).timestamp)).toEqual(texts);
  });

  it('takes a date as it is at that moment', () => {
    const texts = createTexts();
    const timestamp = new Date(NOW);
    parse({ timestamp }, undefined, { texts });
    timestamp.setTime(0);
    expect(parse({ timestamp }, undefined, { texts }).timestamp).toBe('1970-01-01T00:00:00.000Z');
  });

  it('escapes what names and values hold', () => {
    const options = { correlationValue: '\u2028"' };
    const text = createTexts().create('"},{"event":"x\n\ud800', { '"': '\0' }, options, NOW);
    expect(JSON.parse(text)).toMatchObject({
      event: '"},{"event":"x\n\ud800',
      correlationValue: '\u2028"',
      payload: { '"': '\0' },
    });
    expect(text).not.toContain('\n');
  });

  it('makes to the byte what JSON.stringify makes of an event, also where much of it was made before', () => {
    const word = fc.oneof(fc.constantFrom('purchase', '"', '\ud800'), anyText({ minLength: 1 }));
    const leaf = fc.oneof(fc.jsonValue(), fc.constantFrom(undefined, Number.NaN, -0, new Date(0)));
    const object = fc.dictionary(anyText(), leaf);
    const payload = fc.oneof(
      fc.constant(undefined),
      object,
      object.map((given) => ({ toJSON: (key: string) => ({ key, given }) })),
      object.map((given) => ({ own: { toJSON: (key: string) => [key, given] } })),
    );
    const event = fc.record({
      ...{ name: word, correlationValue: word, payload, source: word },
      timestamp: fc.constantFrom(NOW, NOW + 1, '2020-02-29T23:59:59.999Z', new Date(NOW)),
    });
    const property = fc.property(word, fc.array(event), (correlationKey, events) => {
      const texts = new EventTexts({ correlationKey, source: 'custom', maxEventBytes: MAX_BYTES });
      for (const { name, payload, ...options } of events) {
        const { correlationValue, source, timestamp } = options;
        const time = typeof timestamp === 'string' ? timestamp : new Date(timestamp).toISOString();
        const whole = {
          event: name,
          correlationKey,
          correlationValue,
          source,
          timestamp: time,
          uuid: UUID,
          payload,
        };
        expect(texts.create(name, payload, { ...options, uuid: UUID }, NOW)).toBe(JSON.stringify(whole));
      }
    });
    fc.assert(property, { numRuns: cases(300) });
  });

  it('makes events of more names than it keeps, and of long ones', () => {
    const texts = createTexts();
    const names = [...Array.from({ length: 1_000 }, (_, number) => `name ${number}`), 'x'.repeat(100_000)];
    for (const name of [...names, ...names]) {
      expect(JSON.parse(texts.create(name, undefined, {}, NOW))).toMatchObject({ event: name });
    }
  });

  it('refuses a payload that cannot be sent, with the path to what is wrong', () => {
    expect(() => createTexts().create('purchase', { items: [1n] }, {}, NOW)).toThrow(
      'payload.items[0] must be a value that JSON can hold, got a bigint; set the option bigint',
    );
  });

  it.each<[string, unknown]>([
    ['a number', 1],
    ['a function', () => 1],
  ])('is not disturbed by a page that adds %s to Object.prototype', (_, value) => {
    Object.defineProperty(Object.prototype, 'addedByTheHost', {
      value,
      enumerable: true,
      configurable: true,
    });
    let text = '';
    try {
      text = createTexts().create('purchase', { inner: [{ a: 1 }] }, { source: 'mobile' }, NOW);
    } finally {
      // Removed before the first expect(): the test runner breaks with it too.
      Reflect.deleteProperty(Object.prototype, 'addedByTheHost');
    }
    expect(JSON.parse(text)).toMatchObject({ source: 'mobile', payload: { inner: [{ a: 1 }] } });
  });
});

describe('EventTexts.create refuses', () => {
  it.each<[unknown, string]>([
    [undefined, 'event must be a non-empty string, got nothing'],
    ['', 'event must be a non-empty string, got an empty string'],
    [null, 'event must be a non-empty string, got null'],
    [7, 'event must be a non-empty string, got number 7'],
    [{}, 'event must be a non-empty string, got an object'],
    [Symbol('s'), 'event must be a non-empty string, got symbol Symbol(s)'],
    [Object('boxed'), 'event must be a non-empty string, got an object'],
  ])('a name that is none (case %#)', (name, message) => {
    const error = refusal(name);
    expect(error.field).toBe('event');
    expect(error.message).toBe(message);
  });

  it('an event of nobody, and says how to name somebody', () => {
    const error = refusal(
      'purchase',
      {},
      new EventTexts({ correlationKey: 'email', source: 'custom', maxEventBytes: MAX_BYTES }),
    );
    expect(error.field).toBe('correlationValue');
    expect(error.message).toMatch(/^correlationValue must be .*track\(\).*identify\(\), got nothing$/);
  });

  it.each<[string, unknown, string]>([
    ['correlationValue', '', 'an empty string'],
    ['correlationValue', 7, 'number 7'],
    ['correlationValue', ['a'], 'an array'],
    ['source', '', 'an empty string'],
    ['source', {}, 'an object'],
    ['uuid', '', 'an empty string'],
    ['uuid', 'not-a-uuid', 'string "not-a-uuid"'],
    ['uuid', `${UUID}0`, `string "${UUID}0"`],
    ['uuid', `{${UUID}}`, `string "{${UUID}}"`],
    ['uuid', 5, 'number 5'],
    ['timestamp', 'yesterday', 'string "yesterday"'],
    ['timestamp', '', 'an empty string'],
    ['timestamp', '2026-11-21T10:15:30Z', 'string "2026-11-21T10:15:30Z"'],
    ['timestamp', '2026-02-30T10:15:30.000Z', 'string "2026-02-30T10:15:30.000Z"'],
    ['timestamp', new Date(Number.NaN), 'an object'],
    ['timestamp', Number.NaN, 'number NaN'],
    ['timestamp', Number.POSITIVE_INFINITY, 'number Infinity'],
    ['timestamp', 8.64e15, 'number 8640000000000000'],
    ['timestamp', Date.UTC(-1, 0), `number ${Date.UTC(-1, 0)}`],
    ['timestamp', true, 'boolean true'],
    ['timestamp', {}, 'an object'],
    ['timestamp', 5n, 'a bigint'],
  ])('an option %s that is wrong, and names its value (case %#)', (option, value, shown) => {
    const { field, message } = refusal('purchase', { [option]: value });
    expect(field).toBe(option);
    expect(message).toMatch(new RegExp(`^${option} must be `));
    expect(message.slice(message.lastIndexOf(', got '))).toBe(`, got ${shown}`);
  });

  it('an option that there is not, and names those that there are', () => {
    const { field, message } = refusal('purchase', { userId: 7 });
    expect(field).toBe('options');
    expect(message).toMatch(/^options may have correlationValue, timestamp, uuid, source/);
  });

  it.each([null, 7, 'ada@example.com', () => ({})])('options that are no object (case %#)', (options) => {
    const { field, message } = refusal('purchase', options);
    expect(field).toBe('options');
    expect(message).toMatch(/^options must be an object, got /);
  });

  it('a list in place of options', () => {
    expect(refusal('purchase', []).field).toBe('options');
  });
});
