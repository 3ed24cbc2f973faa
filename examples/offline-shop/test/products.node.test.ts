import { expect, test } from 'vitest';
import { PRODUCTS, search } from '../src/page/products.ts';

const skus = (query: string) => search(query).map(({ sku }) => sku);

test('a search finds what has each word of it, as the beginning of a word', () => {
  expect(skus('ROPE')).toEqual(['rope']);
  expect(skus('rain wri')).toEqual(['notebook']);
  expect(skus('ope')).toEqual([]);
});

test('a search without a word finds everything', () => {
  expect(search(' … ')).toEqual(PRODUCTS);
});
