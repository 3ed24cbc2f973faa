import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../testing/full.ts';
import { encodeEvents, NO_EVENTS } from '../../src/base/event-bytes.ts';
import { Contents, type Memory } from '../../src/wait/contents.ts';
import { toEventBytes, toTexts } from '../bench/event-texts.ts';
import { textWriter } from '../bench/text-writer.ts';

/** As a page has it. */
const memory: Memory = { take: (bytes) => new Uint8Array(bytes), give: () => undefined };

/** Adds an event as a ring buffer does. Before that, it moves all events to larger memory if there is no room. */
function add(contents: Contents, text: string, time: number): void {
  const bytes = textWriter.byteLength(text);
  if (contents.spare < bytes + 1) contents.resize(contents.memory.length * 2 + bytes);
  textWriter.write(text, contents.memory, contents.end);
  contents.wrote([text], [time], textWriter.byteLength);
}

function contentsOf(...texts: readonly string[]): Contents {
  const contents = new Contents(memory, 64);
  for (const [time, text] of texts.entries()) add(contents, text, time);
  return contents;
}

function timesOf(contents: Contents): (number | undefined)[] {
  return Array.from({ length: contents.count }, (_, index) => contents.timeOf(index));
}

function bodyOf(contents: Contents): string {
  return new TextDecoder().decode(contents.enclose());
}

describe('Contents', () => {
  it('is the body of an empty batch at first', () => {
    const contents = new Contents(memory, 64);
    expect([contents.count, contents.length, contents.timeOf(0)]).toEqual([0, 0, undefined]);
    expect(contents.spare).toBe(64);
    expect(bodyOf(contents)).toBe('{"batch":[]}');
  });

  it('puts commas between events, and head and tail around them', () => {
    const contents = contentsOf('1', '"é"', '"😀"');
    expect([contents.count, contents.length]).toEqual([3, 1 + 1 + 4 + 1 + 6]);
    expect(toTexts(contents.events)).toEqual(['1', '"é"', '"😀"']);
    expect(bodyOf(contents)).toBe('{"batch":[1,"é","😀"]}');
  });

  it('takes events until its memory is full to the last byte', () => {
    const contents = new Contents(memory, 5);
    add(contents, '12', 0);
    expect(contents.spare).toBe(3);
    add(contents, '34', 0);
    expect(contents.spare).toBe(0);
    expect(bodyOf(contents)).toBe('{"batch":[12,34]}');
    expect(contents.enclose().buffer).toBe(contents.memory.buffer);
  });

  it('adds several events at once, whose times may be unknown', () => {
    const contents = contentsOf('1');
    contents.addAll(NO_EVENTS);
    contents.addAll(encodeEvents(['2', '3'], [7, 8]));
    contents.addAll(toEventBytes(['4']));
    expect(timesOf(contents)).toEqual([0, 7, 8, undefined]);
    expect(bodyOf(contents)).toBe('{"batch":[1,2,3,4]}');
  });

  it('slices within a number of events and bytes, but at least one event', () => {
    const contents = contentsOf('1', '22', '333', '4444');
    expect(toTexts(contents.slice(0, 4))).toEqual(['1', '22', '333', '4444']);
    expect(toTexts(contents.slice(1, 3))).toEqual(['22', '333']);
    expect(toTexts(contents.slice(0, 4, 4))).toEqual(['1', '22']);
    expect(toTexts(contents.slice(0, 4, 3))).toEqual(['1']);
    expect(toTexts(contents.slice(3, 4, 1))).toEqual(['4444']);
    expect([...(contents.slice(1, 3).times ?? [])]).toEqual([1, 2]);
  });

  it('moves to larger memory, and leaves the old one as it is', () => {
    const contents = contentsOf('1', '2');
    const before = contents.events;
    contents.resize(128);
    add(contents, '3', 2);
    expect(bodyOf(contents)).toBe('{"batch":[1,2,3]}');
    expect(toTexts(before)).toEqual(['1', '2']);
  });

  it('copies several groups of events to one body', () => {
    const groups = [['1'], ['"é"', '3'], []].map(toEventBytes);
    expect(bodyOf(new Contents(memory, 0).copy(...groups, NO_EVENTS))).toBe('{"batch":[1,"é",3]}');
  });

  it('does the same as an array of texts', () => {
    const texts = fc.array(fc.json({ maxDepth: 1 }), { minLength: 1, maxLength: 40, size: 'max' });
    const kind = fc.constantFrom('add', 'addAll', 'resize', 'enclose');
    const step = fc.record({ kind, texts, number: fc.nat({ max: 60 }) });
    const property = fc.property(fc.array(step, { maxLength: 30, size: 'max' }), (steps) => {
      const contents = new Contents(memory, 0);
      const model: { text: string; time: number }[] = [];
      for (const [time, { kind, texts, number }] of steps.entries()) {
        if (kind === 'add') {
          for (const text of texts) add(contents, text, time);
          model.push(...texts.map((text) => ({ text, time })));
        } else if (kind === 'addAll') {
          const events = encodeEvents(texts, Array(texts.length).fill(time));
          if (contents.spare < events.bytes.length + 1)
            contents.resize(contents.memory.length + events.bytes.length + 1);
          contents.addAll(events);
          model.push(...texts.map((text) => ({ text, time })));
        } else if (kind === 'resize') {
          contents.resize(contents.memory.length + number);
        } else if (kind === 'enclose') {
          contents.enclose();
        }
        const expected = model.map(({ text }) => text);
        expect(toTexts(contents.events)).toEqual(expected);
        expect(timesOf(contents)).toEqual(model.map(({ time }) => time));
        expect(bodyOf(contents)).toBe(`{"batch":[${expected.join(',')}]}`);
        const from = number % (model.length + 1);
        expect(toTexts(contents.slice(from, from + 3))).toEqual(expected.slice(from, from + 3));
      }
    });
    fc.assert(property, { numRuns: cases(100, 40) });
  });
});
