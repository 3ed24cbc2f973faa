import { type Product, productOf } from './products.ts';

/** A product and its quantity. */
export interface CartLine {
  readonly product: Product;
  readonly quantity: number;
}

const KEY = 'lockside cart';

/** The content of the cart. It is kept in localStorage, if the browser allows that, so it survives a reload. */
export class Cart {
  readonly #quantities: Map<string, number>;

  constructor() {
    this.#quantities = load();
  }

  get lines(): readonly CartLine[] {
    return [...this.#quantities].flatMap(([sku, quantity]) => {
      const product = productOf(sku);
      return product === undefined ? [] : [{ product, quantity }];
    });
  }

  get count(): number {
    return this.lines.reduce((sum, { quantity }) => sum + quantity, 0);
  }

  /** In euros. */
  get total(): number {
    return this.lines.reduce((sum, { product, quantity }) => sum + product.price * quantity, 0);
  }

  quantityOf({ sku }: Product): number {
    return this.#quantities.get(sku) ?? 0;
  }

  /** Adds one of a product or, with -1, removes one. */
  add(product: Product, by: 1 | -1): void {
    const quantity = this.quantityOf(product) + by;
    if (quantity > 0) this.#quantities.set(product.sku, quantity);
    else this.#quantities.delete(product.sku);
    this.#save();
  }

  clear(): void {
    this.#quantities.clear();
    this.#save();
  }

  #save(): void {
    try {
      localStorage.setItem(KEY, JSON.stringify([...this.#quantities]));
    } catch {
      // No storage here: the cart ends with the page.
    }
  }
}

function load(): Map<string, number> {
  try {
    const stored: [string, number][] = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return new Map(stored);
  } catch {
    return new Map();
  }
}
