import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLetter, writeLetter } from '../../../src/parts/dead-letters/dead-letter.ts';
import { anyText } from '../../bench/any-text.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 15, 30);
const encoder = new TextEncoder();

describe('a dead letter', () => {
  it('is read as it was written, its event byte for byte', () => {
    const statuses = fc.integer({ min: 300, max: 599 });
    fc.assert(
      fc.property(fc.json(), statuses, anyText(), (event, status, excerpt) => {
        const found = readLetter(writeLetter(encoder.encode(event), { status, excerpt }, NOW));
        expect(found?.event).toBe(event);
        expect(found?.letter).toMatchObject({
          at: '2026-11-21T10:15:30.000Z',
          status,
          event: JSON.parse(event),
        });
        // A lone surrogate is not valid text. It is written as JSON writes it.
        expect(found?.letter.excerpt).toBe(excerpt);
      }),
    );
  });

  it('is not misled by an answer that quotes one', () => {
    const quoted = writeLetter(encoder.encode('{"n":1}'), { status: 400, excerpt: '' }, NOW);
    const text = writeLetter(encoder.encode('{"n":2,"event":3}'), { status: 422, excerpt: quoted }, NOW);
    const found = readLetter(text);
    expect(found?.event).toBe('{"n":2,"event":3}');
    expect(found?.letter.excerpt).toBe(quoted);
  });

  it('is none where its text is none, whatever that is', () => {
    const texts = [
      '',
      'null',
      '{}',
      '[]',
      '{"id":1,"event":{}}',
      '{"id":"a"}',
      '{"id":"a","event":}',
      '{"id":"a","event":{',
    ];
    for (const text of texts) expect(readLetter(text)).toBeUndefined();
    fc.assert(fc.property(anyText(), (text) => readLetter(text) === undefined));
  });
});
