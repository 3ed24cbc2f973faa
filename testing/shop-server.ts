import { expect } from 'vitest';
import { Example } from './example.ts';

/** Tries a server of `examples/`: customers buy at the same time, then it gets SIGTERM, before a batch is due. */
export async function expectSalesOf(name: string): Promise<void> {
  const example = await Example.open(name);
  const server = example.start(['main.js']);
  const url = await server.url();
  const customers = Array.from({ length: 50 }, (_, number) => `${number}@example.com`);
  const buy = async (customer: string) => {
    const headers = { 'x-customer': customer };
    const { status } = await fetch(`${url}/purchases/for-${customer}`, { method: 'POST', headers });
    return status;
  };
  expect(new Set(await Promise.all(customers.map(buy)))).toEqual(new Set([204]));
  expect(await server.end('SIGTERM')).toBe(0);

  const events = (await example.emulator.events()).map(({ event }) => event);
  const sales = events.map(({ correlationValue, payload }) => `${correlationValue} ${payload?.sku}`);
  expect(sales.sort()).toEqual(customers.map((customer) => `${customer} for-${customer}`).sort());
  expect(new Set(events.map(({ payload }) => payload?.requestId)).size).toBe(50);
}
