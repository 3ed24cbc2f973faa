import { CUSTOMER_READ_PATH, describe, isNonEmptyString } from '@sluice/protocol';
import type { Account } from './account.ts';
import { type Application, addRoute } from './application.ts';
import { authenticate } from './authentication.ts';
import { requirePrimaryKey } from './primary-key.ts';
import { quote } from './quote.ts';
import { Refusal } from './refusal.ts';
import { readJsonBody } from './request-body.ts';

/** Serves reading a customer (section 4.2). */
export function addCustomerEndpoint(application: Application, account: Account, maxBodyBytes: number): void {
  addRoute(application, 'POST', CUSTOMER_READ_PATH, async (context) => {
    authenticate(context.req.header('authorization'), account.apiKeys);
    const primaryKey = requirePrimaryKey(account);
    const { value } = await readJsonBody(context.env.incoming, maxBodyBytes);
    const wanted = primaryKeyValue(value);
    const customer = account.customer(wanted);
    if (customer === undefined) {
      const message = `No customer has the primary key ${quote(wanted)} (its ${quote(primaryKey)}).`;
      throw new Refusal('customer_not_found', message);
    }
    return context.json(customer);
  });
}

function primaryKeyValue(body: unknown): string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid('body', 'must be a JSON object', body);
  }
  const value: unknown = Reflect.get(body, 'primary_key');
  if (!isNonEmptyString(value)) throw invalid('primary_key', 'must be a non-empty string', value);
  return value;
}

function invalid(field: string, rule: string, value: unknown): Refusal {
  return new Refusal('invalid_field', `${field} ${rule}, got ${describe(value)}`, { field });
}
