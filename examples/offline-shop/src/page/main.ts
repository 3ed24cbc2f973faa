import { createTracker } from '@sluice/core';
import { ActivityLog } from './activity-log.ts';
import { BufferPanel } from './buffer-panel.ts';
import { Cart } from './cart.ts';
import { CartPanel } from './cart-panel.ts';
import { Connection } from './connection.ts';
import { write } from './elements.ts';
import { ProductDialog } from './product-dialog.ts';
import { ProductList } from './product-list.ts';
import type { Product } from './products.ts';
import { readService } from './service.ts';

const service = await readService();
const tracker = createTracker({
  relay: '/s',
  correlationKey: 'email',
  // Nobody wants to wait a minute for the next retry in an example.
  delivery: { retryMaxMs: 5_000 },
});
tracker.identify('ada@example.com');

const log = new ActivityLog();
log.follow(tracker);
const buffer = new BufferPanel(tracker);
buffer.showArrived(service.arrived);
tracker.on('delivered', () => {
  // If the shop server does not answer, the last count stays.
  readService().then(({ arrived }) => buffer.showArrived(arrived), console.warn);
});

function track(name: string, payload: object, about: string): void {
  tracker.track(name, payload);
  log.add('event', `${name}: ${about}`);
  buffer.refresh();
}

function say(text: string): void {
  write(text, '#said');
}

const cart = new Cart();

function change(product: Product, by: 1 | -1): void {
  cart.add(product, by);
  const { sku, name, price } = product;
  const quantity = cart.quantityOf(product);
  track(by === 1 ? 'item_to_cart' : 'item_removed', { sku, name, price, quantity }, name);
  say(`${name}: ${quantity} in the cart`);
  panel.show();
}

const panel = new CartPanel(cart, {
  changed: change,
  checkedOut() {
    const items = cart.lines.map(({ product: { sku }, quantity }) => ({ sku, quantity }));
    track('checkout', { items, total: cart.total }, `${cart.count} items`);
    cart.clear();
    panel.show('Thank you for your order.');
    say('Thank you for your order.');
  },
});

const dialog = new ProductDialog((product) => change(product, 1));

new ProductList({
  opened(product) {
    const { sku, name, price } = product;
    track('product_viewed', { sku, name, price }, name);
    dialog.open(product);
  },
  added: (product) => change(product, 1),
  searched: (query, results) => track('search', { query, results }, `“${query}”`),
});

new Connection(service, ({ arrived }) => buffer.showArrived(arrived));
