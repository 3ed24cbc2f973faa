import { describe, expect, it } from 'vitest';
import { EventMapping } from '../src/send/event-mapping.ts';
import { readJson } from '../src/send/file-record.ts';

describe('The numbers of a row', () => {
  const mapping = new EventMapping({ event: 'sold', customer: 'ada', numbers: 'price' }, 'email', false);
  const payloadOf = (price?: unknown) => mapping.eventOf({ sku: 'A-1', price }).payload;

  it('are read from text', () => {
    expect(payloadOf(' 12.50 ')).toEqual({ sku: 'A-1', price: 12.5 });
  });

  it('are left out where the text is blank, and stay as they are where there is none', () => {
    expect(payloadOf(' ')).toEqual({ sku: 'A-1' });
    expect(payloadOf(null)).toEqual({ sku: 'A-1', price: null });
    expect(payloadOf(7)).toEqual({ sku: 'A-1', price: 7 });
    expect(mapping.eventOf({ sku: 'A-1' }).payload).toEqual({ sku: 'A-1' });
  });

  it('are nothing else', () => {
    for (const text of ['x', 'Infinity', '1,5'])
      expect(() => payloadOf(text)).toThrow(`"price" is no number: "${text}"`);
  });

  it('are not those that JavaScript would change', () => {
    expect(payloadOf('9007199254740992')).toEqual({ sku: 'A-1', price: 2 ** 53 });
    for (const text of ['9007199254740993', ' -9007199254740993'])
      expect(() => payloadOf(text)).toThrow(
        `JavaScript cannot hold the number ${text.trim()}: leave "price" out of --numbers`,
      );
  });
});

describe('the JSON of a record', () => {
  it('may have no integer that JavaScript would change, and no number that is too large, but for texts', () => {
    for (const json of [
      '{"id":9007199254740993}',
      '[1,-123456789012345678]',
      `["\\"",${'9'.repeat(400)}]`,
      '{"total":1e400}',
      '[1, -12.5E+0309]',
      `[${'9'.repeat(400)}.5]`,
    ])
      expect(readJson(json, 1).problem).toMatch(
        /^JavaScript cannot hold the number [\d.eE+]+: make it a text$/,
      );
    for (const json of [
      '[1e300,-1e-400,"1e400",{"1e400":",1e400"}]',
      '{"id":"9007199254740993","9007199254740993":["\\"9007199254740993"]}',
      '[9007199254740992,10000000000000000000,0.12345678901234567,1.2345678901234567e30,12345678901234567e3]',
    ])
      expect(readJson(json, 1)).toEqual({ number: 1, value: JSON.parse(json), text: json });
  });
});

it('The columns of fields are named once each', () => {
  const mappingOf = (map: string) => () => new EventMapping({ map }, 'email', true);
  expect(mappingOf('event=a=b')).toThrow('--map must be field=column with a field of');
  expect(mappingOf('event=a,event=b')).toThrow('--map names a column for event twice: leave one out');
});

describe('The customer of a row', () => {
  const optionsOf = (flags: object) =>
    new EventMapping({ event: 'sold', ...flags }, 'email', false).eventOf({ email: 'ada', sku: 'A-1' });

  it('is in a column, or the same for all', () => {
    expect(optionsOf({ map: 'correlationValue=email' })).toMatchObject({
      payload: { sku: 'A-1' },
      options: { correlationValue: 'ada' },
    });
    expect(optionsOf({ customer: 'eve' })).toMatchObject({
      payload: { email: 'ada', sku: 'A-1' },
      options: { correlationValue: 'eve' },
    });
  });

  it('is asked for by its flags if there is none', () => {
    expect(() => optionsOf({})).toThrow(
      'it has no customer: give --customer VALUE or --map correlationValue=',
    );
  });
});

it('What is no text is no field of an event', () => {
  const mapping = new EventMapping({ event: 'sold', map: 'correlationValue=user' }, 'email', false);
  const of = (user: unknown) => () => mapping.eventOf({ user });
  expect(of({ email: 'ada@example.com' })).toThrow('"user" is no text: {"email":"ada@example.com"}');
  expect(of(['ada'])).toThrow('"user" is no text: ["ada"]');
  expect(of(7)().options.correlationValue).toBe('7');
});
