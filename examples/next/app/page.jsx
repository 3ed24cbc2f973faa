import Link from 'next/link';
import { Buy } from './tracking.jsx';

export default function Shop() {
  return (
    <main>
      <h1>Shop</h1>
      <Buy sku="A-1" />
      <Link href="/cart">Go to the cart</Link>
    </main>
  );
}
