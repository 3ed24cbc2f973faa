import { describe, expect, it } from 'vitest';
import { payloadKeys, readPayloadConditions, readPayloadPaths } from '../../src/search/payload-query.ts';
import { received, setUp } from './typed-searches.ts';

describe('conditions on payloads', () => {
  const { events, ids } = setUp();
  const deep = `${'['.repeat(1_500)}1${']'.repeat(1_500)}`;
  const payloads = [
    '{"total":99.5,"paid":true,"note":null}',
    '{"total":100,"paid":false}',
    '{"total":"100","a b":{"$x":1}}',
    '{"total":1e3,"items":[{"sku":"A"},{"sku":"B \\"2\\""}],"größe":"XL"}',
    `{"total":5000,"deep":${deep}}`,
  ];
  events.add(events.stage(payloads.map((payload) => received({}, `{"event":"e","payload":${payload}}`))), 1);

  it.each<[string, number[]]>([
    ['payload.total > 100', [4]],
    ['payload.total>=100', [4, 2]],
    ['payload.total = 100', [2]],
    ['payload.total = "100"', [3]],
    ['payload.total != 100', [4, 3, 1]],
    ['payload.total < 100', [1]],
    ['payload.paid = true', [1]],
    ['payload.paid != true', [2]],
    ['payload.note = null', [1]],
    ['payload.note', [1]],
    ['payload."a b".$x = 1', [3]],
    ['payload.items[1].sku = "B \\"2\\""', [4]],
    ['payload.größe = XL', [4]],
    ['payload.total >= 100 and payload.total <= 100 AND payload.paid', [2]],
    ['  payload.total>99  and payload.paid = false  ', [2]],
    ['payload.deep', []],
  ])('%s', async (text, expected) => {
    expect(await ids({ payload: readPayloadConditions(text) })).toEqual(expected);
  });

  it.each([
    'total > 100',
    'payload',
    'payload.',
    'payload.total >',
    'payload.total > true',
    'payload.total 100',
    'payload.total = "100',
    'payload."total = 1',
    'payload."total\\" = 1',
    'payload.total = 1 or payload.total = 2',
    'payload.a and',
    'payload.a.. = 1',
    "payload.a') OR 1=1 --",
    'payload.a and '.repeat(11),
    `payload.${'a'.repeat(1_000)}`,
  ])('refuses %s', (text) => {
    expect(() => readPayloadConditions(text)).toThrow(/^payload /);
  });
});

describe('keys of payloads', () => {
  it.each<[string, string[]]>([
    ['payload.total , payload.items[0].sku', ['total', 'items[0].sku']],
    ['payload."a, b".c,payload."say \\"x, y\\""', ['"a, b".c', '"say \\"x, y\\""']],
    ['payload[1]', ['[1]']],
    ['', []],
  ])('are split where the paths of a search are: %s', (text, keys) => {
    expect(payloadKeys(text)).toEqual(keys);
    expect(readPayloadPaths(text)).toHaveLength(keys.length);
  });

  it('are read up to the first that is wrong', () => {
    expect(payloadKeys('payload.a, b, payload.c')).toEqual(['a']);
  });
});
