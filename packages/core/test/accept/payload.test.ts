import { InvalidEventError } from '@sluice/protocol';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { cases } from '../../../../testing/full.ts';
import { payloadText } from '../../src/accept/payload.ts';
import { anyText } from '../bench/any-text.ts';

const MAX_BYTES = 256 * 1024;

/** The payload as it is sent. */
function sent(payload: unknown): unknown {
  return JSON.parse(payloadText(payload, MAX_BYTES));
}

/** The InvalidEventError that payloadText() throws for a payload. */
function refusal(payload: unknown): InvalidEventError {
  try {
    payloadText(payload, MAX_BYTES);
  } catch (error) {
    if (error instanceof InvalidEventError) return error;
    throw error;
  }
  throw new Error('the payload was not refused');
}

function nested(depth: number, wrap: (inner: unknown) => object, innermost: unknown = 1): object {
  let value = wrap(innermost);
  for (let level = 1; level < depth; level += 1) value = wrap(value);
  return value;
}

const prototypeBefore = Reflect.ownKeys(Object.prototype);

afterEach(() => {
  expect(Reflect.ownKeys(Object.prototype)).toEqual(prototypeBefore);
});

describe('a payload that can be sent', () => {
  it('is absent where it is undefined', () => {
    expect(payloadText(undefined, MAX_BYTES)).toBe('');
  });

  it('is what JSON makes of it, whatever it holds that JSON can hold', () => {
    const property = fc.property(fc.dictionary(anyText(), fc.jsonValue()), (payload) => {
      expect(payloadText(payload, MAX_BYTES)).toBe(JSON.stringify(payload));
    });
    fc.assert(property, { numRuns: cases(300) });
  });

  it('has no properties that are undefined, and null for what is no finite number, as in JSON', () => {
    const payload = { a: undefined, b: Number.NaN, c: -Infinity, d: [undefined], e: null, f: -0 };
    expect(sent(payload)).toEqual({ b: null, c: null, d: [null], e: null, f: 0 });
  });

  it('may be empty, without a prototype, frozen, or of a class', () => {
    class Order {
      readonly #secret = 1;
      readonly sku = 'A-1';
      get total(): number {
        return this.#secret;
      }
    }
    expect(sent({})).toEqual({});
    expect(sent(Object.assign(Object.create(null), { a: 1 }))).toEqual({ a: 1 });
    expect(sent(Object.freeze({ a: Object.freeze([1]) }))).toEqual({ a: [1] });
    expect(sent(new Order())).toEqual({ sku: 'A-1' });
  });

  it('is not asked for what it inherits, whatever that is', () => {
    class Order {
      sku = 'A-1';
    }
    Object.defineProperty(Order.prototype, 'total', {
      get: (): never => {
        throw new RangeError('own');
      },
      enumerable: true,
    });
    Object.defineProperty(Order.prototype, 'add', { value: () => 1, enumerable: true });
    expect(sent({ order: new Order() })).toEqual({ order: { sku: 'A-1' } });
    expect(sent(new Order())).toEqual({ sku: 'A-1' });
  });

  it('may hold a date, a URL or anything else with toJSON', () => {
    const payload = {
      at: new Date(0),
      never: new Date(Number.NaN),
      url: new URL('https://example.com/'),
      own: { toJSON: () => ({ total: 1 }) },
      none: { toJSON: () => undefined },
    };
    expect(sent(payload)).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      never: null,
      url: 'https://example.com/',
      own: { total: 1 },
    });
  });

  it('may have toJSON itself', () => {
    class Order {
      readonly sku = 'A-1';
      readonly cache = new Map([[1, 2]]);
      toJSON(): object {
        return { sku: this.sku };
      }
    }
    expect(sent(new Order())).toEqual({ sku: 'A-1' });
  });

  it('is what its toJSON gives: as in JSON, the toJSON of that is not asked', () => {
    class Snapshot {
      readonly total = 1;
      toJSON(): string {
        return 'a string, which is no payload';
      }
    }
    const payload = { toJSON: () => new Snapshot() };
    expect(JSON.stringify({ payload })).toBe('{"payload":{"total":1}}');
    expect(sent(payload)).toEqual({ total: 1 });
  });

  it('may hold one object many times', () => {
    const shared = { a: [1, 2] };
    expect(sent({ x: shared, y: [shared, shared] })).toEqual({ x: shared, y: [shared, shared] });
  });

  it('leaves out functions and symbols, as JSON does', () => {
    const [call, mark] = [() => 1, Symbol('s')];
    expect(sent({ a: 1, call, mark, list: [call, mark], later: { toJSON: () => call } })).toEqual({
      a: 1,
      list: [null, null],
    });
  });

  it('may be a proxy that answers', () => {
    expect(sent(new Proxy({ a: { b: 1 } }, {}))).toEqual({ a: { b: 1 } });
  });

  it('keeps properties that are named as those of Object.prototype, and changes no prototype', () => {
    const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1}';
    expect(payloadText(JSON.parse(text), MAX_BYTES)).toBe(text);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('keeps lone surrogates, which UTF-8 cannot, as JSON escapes', () => {
    const text = payloadText({ '\ud800': 'a\udfffb' }, MAX_BYTES);
    const bytes = new TextEncoder().encode(text);
    expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual({ '\ud800': 'a\udfffb' });
  });

  it('may hold strings of a megabyte, and 50,000 values', () => {
    const text = 'é'.repeat(1_000_000);
    expect(JSON.parse(payloadText({ text }, 4 * MAX_BYTES))).toEqual({ text });
    const list = Array.from({ length: 50_000 }, (_, index) => index);
    expect(sent({ list })).toEqual({ list });
  });

  it('may be nested 400 levels deep', () => {
    const payload = nested(400, (inner) => ({ inner }));
    expect(sent(payload)).toEqual(payload);
  });
});

describe('a payload that cannot be sent', () => {
  it.each<[string, unknown, RegExp]>([
    ['null', null, /null/],
    ['a string', 'text', /string "text"/],
    ['a number', 7, /number 7/],
    ['a boolean', false, /boolean false/],
    ['a bigint', 7n, /a bigint/],
    ['a symbol', Symbol('s'), /Symbol\(s\)/],
    ['a function', () => 1, /a function/],
    ['a class', class {}, /a function/],
    ['an array', [{ a: 1 }], /an array/],
    ['a boxed string', Object('text'), /String|string/],
    ['a date, which JSON makes a string', new Date(0), /1970/],
    ['an object whose toJSON gives a string', { toJSON: () => 'text' }, /string "text"/],
    ['an object whose toJSON gives nothing', { toJSON: () => undefined }, /nothing/],
    ['an object whose toJSON gives an array', { toJSON: () => [] }, /an array/],
  ])('is one that is no object: %s', (_, payload, shown) => {
    const { field, message } = refusal(payload);
    expect(field).toBe('payload');
    expect(message).toMatch(/^payload must be /);
    expect(message).toMatch(shown);
  });

  it.each<[string, unknown, RegExp]>([
    ['a bigint, with what to do', 10n, /a bigint; set the option bigint$/],
    ['a boxed bigint', Object(10n), /BigInt/],
    ['a Map', new Map([[1, 2]]), /Map/],
    ['an empty Map', new Map(), /Map/],
    ['a Set', new Set([1]), /Set/],
    ['a WeakMap', new WeakMap(), /WeakMap/],
    ['an Error', new Error('text'), /Error/],
    ['an Error with a code, as those of Node', Object.assign(new Error('text'), { code: 'ENOENT' }), /Error/],
    ['a Map with a property', Object.assign(new Map([[1, 2]]), { name: 'map' }), /Map/],
    ['a Promise', Promise.resolve(1), /Promise/],
    ['a regular expression', /a/, /RegExp/],
    ['an ArrayBuffer', new ArrayBuffer(8), /ArrayBuffer/],
  ])('is one that holds %s: the path and the kind are named', (_, value, shown) => {
    const { field, message } = refusal({ good: 1, items: [0, { value }] });
    expect(field).toBe('payload.items[1].value');
    expect(message).toMatch(/^payload\.items\[1\]\.value must be /);
    expect(message).toMatch(shown);
  });

  it.each<[string, unknown]>([
    ['a Map', new Map([[1, 2]])],
    ['a list with a bigint', [1, 1n]],
  ])('is one in which a toJSON gives what JSON would lose: %s', (_, value) => {
    expect(refusal({ a: { toJSON: () => value } }).field).toMatch(/^payload\.a/);
  });

  it.each<[string, () => object]>([
    [
      'of objects',
      () => {
        const cycle: Record<string, unknown> = {};
        cycle.self = { cycle };
        return cycle;
      },
    ],
    [
      'of arrays',
      () => {
        const list: unknown[] = [];
        list.push([list]);
        return { list };
      },
    ],
  ])('is one with a cycle %s', (_, create) => {
    const { field, message } = refusal(create());
    expect(field).toMatch(/^payload\.(self|list)/);
    expect(message).toMatch(/cycle/);
    expect(message.length).toBeLessThan(100);
  });

  it('is one with a cycle, of which the error shows the start', () => {
    const order: Record<string, unknown> = {};
    order.lines = [{ order }];
    const start = 'payload.order.lines[0].order.lines[0].order.lines[…';
    expect(refusal({ order }).field).toBe(start);
    order.note = 'x'.repeat(1_000);
    expect(refusal({ order }).field).toBe(start);
  });

  it.each<[string, object]>([
    ['objects', nested(10_000, (inner) => ({ inner }))],
    ['arrays', { list: nested(10_000, (inner) => [inner]) }],
    ['sets of them', { list: nested(10_000, (inner) => ({ list: [inner] })) }],
  ])('is one that is nested 10,000 levels deep in %s', (_, payload) => {
    expect(refusal(payload).message).toMatch(/nested more than \d+ levels/);
  });

  it('is one of few objects that JSON would write out many times', () => {
    const shared = nested(40, (inner) => [inner, inner]);
    expect(refusal({ shared }).message).toMatch(/exceed \d+ bytes/);
    expect(
      refusal(
        nested(
          40,
          (inner) => ({ a: inner, b: inner }),
          () => 1,
        ),
      ).field,
    ).toMatch(/^payload/);
  });

  it('is one of more times or bytes than fit into an event, which are not read', () => {
    const read = vi.spyOn(Date.prototype, 'toISOString');
    const times = Array.from({ length: 9_700 }, () => new Date(0));
    expect(refusal({ times: times.concat(times.slice(0, 20)) }).message).toMatch(/exceed \d+ bytes/);
    expect(read).not.toHaveBeenCalled();
    expect(sent({ times })).toMatchObject({ times: { length: 9_700 } });
    expect(refusal({ bytes: new Uint8Array(50_000) }).field).toBe('payload.bytes');
    expect(Object.keys(sent({ bytes: new Uint8Array(20_000) }) as object)).toEqual(['bytes']);
    read.mockRestore();
  });

  it('is one of a list without an end', () => {
    expect(refusal({ list: new Array(2 ** 32 - 1) }).message).toMatch(/exceed \d+ bytes/);
  });

  it('has an error that stays short, however long its names', () => {
    const { field, message } = refusal({ ['x'.repeat(1_000_000)]: () => 1 });
    expect(field.length).toBeLessThan(200);
    expect(message.length).toBeLessThan(300);
  });

  it.each<[string, () => unknown]>([
    [
      'a getter',
      () => ({
        get total(): never {
          throw new RangeError('own');
        },
      }),
    ],
    [
      'toJSON',
      () => ({
        toJSON(): never {
          throw new RangeError('own');
        },
      }),
    ],
    [
      'a proxy, when it is read',
      () =>
        new Proxy(
          { a: 1 },
          {
            get: (): never => {
              throw new RangeError('own');
            },
          },
        ),
    ],
    [
      'a proxy, when it is listed',
      () =>
        new Proxy(
          {},
          {
            ownKeys: (): never => {
              throw new RangeError('own');
            },
          },
        ),
    ],
  ])('may throw an error of its own, which is passed on: %s', (_, create) => {
    expect(() => sent(create())).toThrow(new RangeError('own'));
    expect(() => sent({ inner: create() })).toThrow(new RangeError('own'));
  });

  it('is a proxy that was revoked', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(() => payloadText(proxy, MAX_BYTES)).toThrow(TypeError);
    expect(() => payloadText({ proxy }, MAX_BYTES)).toThrow(TypeError);
  });
});
