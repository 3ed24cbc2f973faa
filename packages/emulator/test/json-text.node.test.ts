import { describe, expect, it } from 'vitest';
import { elementTexts, isDeeperThan, memberText } from '../src/events/json-text.ts';

describe('the texts of the elements of an array', () => {
  it.each([
    ['{"batch":[]}', []],
    ['{"batch":[{}]}', ['{}']],
    ['{"batch":[{"a":1},{"b":[{"c":2}]}]}', ['{"a":1}', '{"b":[{"c":2}]}']],
    [' { "batch" : [ { "a" : 1 } , {"b":2} ] } ', ['{ "a" : 1 }', '{"b":2}']],
    ['{"batch":[{"a":"}],\\"{"},{"b":"\\\\"}]}', ['{"a":"}],\\"{"}', '{"b":"\\\\"}']],
    ['{"first":[{"no":1}],"batch":[{"a":1}],"last":[{"no":2}]}', ['{"a":1}']],
    ['{"x":{"batch":[{"no":1}]},"batch":[{"a":{"batch":[{"b":1}]}}]}', ['{"a":{"batch":[{"b":1}]}}']],
    ['{"batch":[{"no":1},{"no":2}],"batch":[{"a":1}]}', ['{"a":1}']],
    ['{"\\u0062atch":[{"a":1}]}', ['{"a":1}']],
    ['{"name":"batch","batch":[{"a":12345678901234567890}]}', ['{"a":12345678901234567890}']],
  ])('of %s', (text, texts) => {
    expect(elementTexts(text, 'batch')).toEqual(texts);
    const { batch } = JSON.parse(text);
    expect(texts.map((each) => JSON.parse(each))).toEqual(batch);
  });
});

describe('how deep a text is nested', () => {
  it.each([
    ['1', 0],
    ['"[[["', 0],
    ['{"a":"\\"[["}', 1],
    ['[[],{"b":[]}]', 3],
    ['[[', 2],
    ['"unended [[', 0],
    ['"unended \\', 0],
  ])('%s', (text, depth) => {
    expect(isDeeperThan(text, depth)).toBe(false);
    if (depth > 0) expect(isDeeperThan(text, depth - 1)).toBe(true);
  });
});

describe('the text of a member', () => {
  it.each([
    ['{}', undefined],
    ['{"payload":{"a":[1, 2]}}', '{"a":[1, 2]}'],
    [' { "payload" : { "a" : 1.0 } , "b" : 2 } ', '{ "a" : 1.0 }'],
    ['{"event":"payload","x":{"payload":1},"payload":{"b":"}\\",{"}}', '{"b":"}\\",{"}'],
    ['{"payload":{"a":1},"payload":{"b":2}}', '{"b":2}'],
    ['{"\\u0070ayload":[]}', '[]'],
    ['{"payloads":1,"pay":2}', undefined],
  ])('of %s', (text, expected) => {
    expect(memberText(text, 'payload')).toBe(expected);
    expect(expected === undefined ? undefined : JSON.parse(expected)).toEqual(JSON.parse(text).payload);
  });

  it.each([
    ['{"event":"a","payload":{"b":[1,2', '{"b":[1,2'],
    ['{"event":"a","payload":{"b":"c', '{"b":"c'],
    ['{"event":"a","payl', undefined],
    ['{"event":"a","payload"', undefined],
  ])('is what there is of it in the beginning %s', (text, expected) => {
    expect(memberText(text, 'payload')).toBe(expected);
  });
});
