import { draw, find, stamp, write } from './elements.ts';
import { type Product, price, search } from './products.ts';

/** A search is tracked once the user has not typed for this long, in milliseconds. */
const SEARCH_REST_MS = 600;

export interface ProductListener {
  opened(product: Product): void;
  added(product: Product): void;
  searched(query: string, results: number): void;
}

/** The list of products, and its search field. */
export class ProductList {
  readonly #list = find('#product-list', HTMLUListElement);
  readonly #field = find('#search', HTMLInputElement);
  readonly #nothing = find('#nothing-found', HTMLElement);
  readonly #listener: ProductListener;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastSearch = '';

  constructor(listener: ProductListener) {
    this.#listener = listener;
    this.#field.addEventListener('input', () => {
      this.#show();
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#report(), SEARCH_REST_MS);
    });
    this.#field.addEventListener('change', () => this.#report());
    find('button', HTMLButtonElement, this.#nothing).addEventListener('click', () => {
      this.#field.value = '';
      this.#field.focus();
      this.#show();
    });
    this.#show();
  }

  #show(): void {
    const query = this.#field.value.trim();
    const products = search(query);
    this.#list.replaceChildren(...products.map((product) => this.#card(product)));
    this.#nothing.hidden = products.length > 0;
    write(`Nothing here answers to “${query}”.`, 'p', this.#nothing);
    const found = products.length === 1 ? 'One product' : `${products.length} products`;
    write(query === '' || products.length === 0 ? '' : found, '#found');
  }

  #card(product: Product): HTMLElement {
    const card = stamp('product-card');
    draw(product.sku, card);
    write(product.name, '.name', card);
    write(price(product.price), '.price', card);
    const add = find('.add', HTMLButtonElement, card);
    add.setAttribute('aria-label', `Add ${product.name} to the cart`);
    add.addEventListener('click', () => this.#listener.added(product));
    const open = find('.open', HTMLButtonElement, card);
    open.addEventListener('click', () => this.#listener.opened(product));
    return card;
  }

  #report(): void {
    clearTimeout(this.#timer);
    const query = this.#field.value.trim();
    if (query === this.#lastSearch) return;
    this.#lastSearch = query;
    if (query !== '') this.#listener.searched(query, search(query).length);
  }
}
