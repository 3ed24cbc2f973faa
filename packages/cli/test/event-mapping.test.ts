import { describe, expect, it } from 'vitest';
import { EventMapping } from '../src/send/event-mapping.ts';

describe('The numbers of a row', () => {
  const mapping = new EventMapping({ event: 'sold', numbers: 'price' }, 'email', false);
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
});
