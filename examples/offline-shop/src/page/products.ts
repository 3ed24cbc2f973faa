/** A product of the shop. */
export interface Product {
  /** Also the name of its drawing. */
  readonly sku: string;
  readonly name: string;
  /** In euros. */
  readonly price: number;
  readonly description: string;
}

export const PRODUCTS: readonly Product[] = [
  {
    sku: 'mug',
    name: 'Enamel mug',
    price: 14,
    description: 'Holds half a litre, survives every fall on deck, and tastes of nothing but coffee.',
  },
  {
    sku: 'lantern',
    name: 'Storm lantern',
    price: 39,
    description: 'Burns for twenty hours on one filling. The wind may try.',
  },
  {
    sku: 'rope',
    name: 'Mooring rope',
    price: 22,
    description: 'Ten metres, twelve strands, spliced at one end. Floats when you let go of it.',
  },
  {
    sku: 'jacket',
    name: 'Rain jacket',
    price: 89,
    description: 'Waxed cotton with a hood that stays up, and pockets that drain.',
  },
  {
    sku: 'compass',
    name: 'Brass compass',
    price: 31,
    description: 'For the one canal that forks. Needs no battery and no network.',
  },
  {
    sku: 'flask',
    name: 'Steel flask',
    price: 27,
    description: 'Hot from the first lock to the last, which is eleven hours.',
  },
  {
    sku: 'boots',
    name: 'Deck boots',
    price: 64,
    description: 'Natural rubber, a sole that grips wet steel, and a loop to pull them on by.',
  },
  {
    sku: 'notebook',
    name: 'Log book',
    price: 9,
    description: 'Stone paper: write in the rain, read it in the evening. Append only.',
  },
];

/** Returns the product with this sku, or undefined if there is none. */
export function productOf(sku: string): Product | undefined {
  return PRODUCTS.find((product) => product.sku === sku);
}

/** Finds products: each word of the query must begin a word of the name or description. Without words, finds all. */
export function search(query: string): readonly Product[] {
  const wanted = words(query);
  return PRODUCTS.filter(({ name, description }) => {
    const there = words(`${name} ${description}`);
    return wanted.every((word) => there.some((other) => other.startsWith(word)));
  });
}

function words(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

const EUROS = new Intl.NumberFormat('en-IE', { style: 'currency', currency: 'EUR' });

/** Formats a price. */
export function price(euros: number): string {
  return EUROS.format(euros);
}
