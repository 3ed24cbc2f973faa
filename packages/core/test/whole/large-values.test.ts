import { InvalidEventError } from '@sluice/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../testing/full.ts';
import { EventTexts, type TrackOptions } from '../../src/accept/event-text.ts';
import { payloadText } from '../../src/accept/payload.ts';
import { anyText } from '../bench/any-text.ts';

const MAX_BYTES = 256 * 1024;
const MEGABYTE = 1_000_000;
const TOO_LARGE = 'makes the payload exceed 262144 bytes';

function refusal(call: () => unknown): InvalidEventError {
  try {
    call();
  } catch (error) {
    if (error instanceof InvalidEventError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

/** Bytes that throw when their JSON is requested. */
class Watched extends Uint8Array {
  toJSON(): never {
    throw new Error('the bytes were looked at');
  }
}

describe('a payload that is too large is refused before it is looked at to its end:', () => {
  it.each<[string, object]>([
    ['bytes', new Uint8Array(50 * MEGABYTE)],
    ['bytes that make JSON of themselves, as a Buffer does', new Watched(MEGABYTE)],
    ['numbers', new Float64Array(MEGABYTE)],
    ['a boxed string', new String('x'.repeat(10 * MEGABYTE))],
    [
      'a boxed string under another name',
      Object.assign(new String('x'.repeat(10 * MEGABYTE)), { [Symbol.toStringTag]: 'Map' }),
    ],
  ])('%s', (_, value) => {
    const { field, message } = refusal(() => payloadText({ good: 1, items: [value] }, MAX_BYTES));
    expect(field).toBe('payload.items[0]');
    expect(message).toBe(`payload.items[0] ${TOO_LARGE}`);
  });

  it.each<[string, object]>([
    ['bytes', new Uint8Array(50 * MEGABYTE)],
    ['a boxed string', new String('x'.repeat(10 * MEGABYTE))],
  ])('%s in place of the payload', (_, payload) => {
    expect(refusal(() => payloadText(payload, MAX_BYTES)).message).toBe(`payload ${TOO_LARGE}`);
  });

  it('a string, and one that a toJSON gives', () => {
    const text = 'x'.repeat(500 * MEGABYTE);
    expect(refusal(() => payloadText({ text }, MAX_BYTES)).field).toBe('payload.text');
    expect(refusal(() => payloadText({ a: { toJSON: () => text } }, MAX_BYTES)).field).toBe('payload.a');
  });

  it('a key', () => {
    const { message } = refusal(() => payloadText({ ['k'.repeat(50 * MEGABYTE)]: 1 }, MAX_BYTES));
    expect(message).toMatch(/^payload\.k+… makes the payload exceed/);
    expect(message.length).toBeLessThan(300);
  });

  it('many strings, of which those that come later are not read', () => {
    let reads = 0;
    const payload = {};
    for (let index = 0; index < 1_000; index += 1) {
      const get = () => {
        reads += 1;
        return 'x'.repeat(1_024);
      };
      Object.defineProperty(payload, `field ${index}`, { enumerable: true, get });
    }
    expect(refusal(() => payloadText(payload, MAX_BYTES)).field).toMatch(/^payload\.field/);
    expect(reads).toBeLessThan(256);
  });
});

describe('an event of which another field is too large is refused by its length:', () => {
  const long = 'x'.repeat(100 * MEGABYTE);

  it.each<[string, string, TrackOptions]>([
    ['event', long, {}],
    ['correlationValue', 'purchase', { correlationValue: long }],
    ['source', 'purchase', { source: long }],
    ['uuid', 'purchase', { uuid: long }],
    ['timestamp', 'purchase', { timestamp: long }],
    ['options', 'purchase', new String(long) as TrackOptions],
    ['options', 'purchase', new Uint8Array(MEGABYTE) as TrackOptions],
  ])('%s', (field, name, options) => {
    const texts = new EventTexts({ correlationKey: 'email', source: 'custom', maxEventBytes: MAX_BYTES });
    texts.correlationValue = 'ada@example.com';
    const error = refusal(() => texts.create(name, {}, options, 0));
    expect(error.field).toBe(field);
    expect(error.message.length).toBeLessThan(300);
  });
});

it('any payload that fits is taken, to the byte', () => {
  fc.assert(
    fc.property(fc.dictionary(anyText(), fc.jsonValue({ maxDepth: 4 })), (payload) => {
      const text = JSON.stringify(payload);
      expect(payloadText(payload, new TextEncoder().encode(text).length)).toBe(text);
    }),
    { numRuns: cases(100) },
  );
});
