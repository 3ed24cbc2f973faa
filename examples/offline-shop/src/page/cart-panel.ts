import type { Cart, CartLine } from './cart.ts';
import { draw, find, stamp, write } from './elements.ts';
import { type Product, price } from './products.ts';

export interface CartListener {
  changed(product: Product, by: 1 | -1): void;
  checkedOut(): void;
}

/** Shows the cart and lets a user change it. */
export class CartPanel {
  readonly #cart: Cart;
  readonly #listener: CartListener;
  readonly #lines = find('#cart-lines', HTMLUListElement);
  readonly #rows = new Map<string, HTMLElement>();

  constructor(cart: Cart, listener: CartListener) {
    this.#cart = cart;
    this.#listener = listener;
    find('#checkout', HTMLButtonElement).addEventListener('click', () => listener.checkedOut());
    this.show();
  }

  /** @param note The text that an empty cart shows. */
  show(note = 'Nothing in it yet.'): void {
    const { lines, count, total } = this.#cart;
    this.#removeOld(lines);
    for (const line of lines) this.#showLine(line);
    write(note, '#cart-empty p');
    write(String(count), '#cart-count');
    write(price(total), '#cart-total');
    find('#cart-count', HTMLElement).hidden = count === 0;
    find('#cart-empty', HTMLElement).hidden = count > 0;
    find('#cart-end', HTMLElement).hidden = count === 0;
  }

  /** Keeps the elements of existing rows, so that the pressed button keeps the focus. */
  #showLine({ product, quantity }: CartLine): void {
    const row = this.#rows.get(product.sku) ?? this.#addRow(product);
    write(String(quantity), '.quantity', row);
    write(price(product.price * quantity), '.price', row);
  }

  #addRow(product: Product): HTMLElement {
    const row = stamp('cart-line');
    draw(product.sku, row);
    write(product.name, '.name', row);
    const button = (selector: string, label: string, by: 1 | -1) => {
      const element = find(selector, HTMLButtonElement, row);
      element.setAttribute('aria-label', `${label} ${product.name}`);
      element.addEventListener('click', () => this.#listener.changed(product, by));
    };
    button('.less', 'One less:', -1);
    button('.more', 'One more:', 1);
    this.#rows.set(product.sku, row);
    this.#lines.append(row);
    return row;
  }

  #removeOld(lines: readonly CartLine[]): void {
    for (const [sku, row] of this.#rows) {
      if (lines.some(({ product }) => product.sku === sku)) continue;
      // The focus moves to the cart, so that it is not lost with the row.
      if (row.contains(document.activeElement)) find('#cart', HTMLElement).focus();
      row.remove();
      this.#rows.delete(sku);
    }
  }
}
