import type { CustomerRows } from '../../src/admin/audience-contract.ts';
import { type Answer, admin, type Service } from '../service.ts';

export function importCsv(service: Service, csv: string, query = ''): Promise<Answer> {
  return admin(service, `/customers/import${query}`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: csv,
  });
}

export async function listed(service: Service, query: string): Promise<CustomerRows> {
  return (await admin(service, `/customers?${query}`)).body as CustomerRows;
}
