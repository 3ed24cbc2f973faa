import { CUSTOMER_READ_PATH } from '@sluice/protocol';
import { describe, isNonEmptyString } from '@sluice/protocol/toolbox';
import { isJsonObject } from '../events/json-text.ts';
import { Refusal } from '../events/refusal.ts';
import { jsonAnswer } from '../http/answers.ts';
import type { InterfaceEndpoint } from '../http/interface-endpoint.ts';
import { quote } from '../messages.ts';

/** The endpoint that reads a customer (section 4.2). */
export const customerEndpoint: InterfaceEndpoint = {
  name: 'customers',
  path: CUSTOMER_READ_PATH,
  serve(exchange, primaryKey, { value }) {
    const wanted = primaryKeyValue(value);
    const { audience } = exchange.account;
    const { answersPrimaryKey } = exchange.behaviour;
    const customer = answersPrimaryKey ? audience.customer(wanted) : audience.attributes(wanted);
    if (customer === undefined) {
      const message = `No customer has the primary key ${quote(wanted)} (its ${quote(primaryKey)}).`;
      throw new Refusal('customer_not_found', message);
    }
    return exchange.respond(jsonAnswer(200, customer));
  },
};

function primaryKeyValue(body: unknown): string {
  if (!isJsonObject(body)) throw invalid('body', 'must be a JSON object', body);
  const { primary_key: value } = body;
  if (!isNonEmptyString(value)) throw invalid('primary_key', 'must be a non-empty string', value);
  return value;
}

function invalid(field: string, rule: string, value: unknown): Refusal {
  return new Refusal('invalid_field', `${field} ${rule}, got ${describe(value)}`, { field });
}
