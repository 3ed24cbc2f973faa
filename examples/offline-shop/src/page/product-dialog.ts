import { draw, find, write } from './elements.ts';
import { type Product, price } from './products.ts';

/** The dialog with the details of one product. */
export class ProductDialog {
  readonly #dialog = find('dialog#product', HTMLDialogElement);
  #product: Product | undefined;

  constructor(onAdded: (product: Product) => void) {
    find('.strong', HTMLButtonElement, this.#dialog).addEventListener('click', () => {
      if (this.#product !== undefined) onAdded(this.#product);
      this.#dialog.close();
    });
  }

  open(product: Product): void {
    this.#product = product;
    draw(product.sku, this.#dialog);
    write(product.name, '#product-name');
    write(product.description, '.description', this.#dialog);
    write(price(product.price), '.price', this.#dialog);
    this.#dialog.showModal();
  }
}
