import { hash } from 'node:crypto';
import { ConfigError } from '@sluice/protocol';
import { isNonEmptyString, refusal } from '@sluice/protocol/toolbox';
import type { CustomerRow } from '../admin/audience-contract.ts';
import { messageOf } from '../messages.ts';
import { unescapeText } from '../storage/database.ts';

/** A row of customers. `primaryValue` is escaped; null if it does not have the selected primary key: then it is not found. */
export interface StoredCustomer {
  readonly id: number;
  readonly primaryValue: string | null;
  readonly attributes: string;
}

/** A customer, ready to be stored. */
export interface CustomerRecord {
  /** Its value of the selected primary key. */
  readonly primaryValue: string;
  /** All its attributes, as JSON. */
  readonly attributes: string;
}

/** Checks a customer, named `at` in errors. Throws {@link ConfigError}. */
export function toRecord(customer: unknown, key: string, at: string): CustomerRecord {
  if (typeof customer !== 'object' || customer === null || Array.isArray(customer)) {
    throw refusal(at, 'an object of attributes', customer);
  }
  const value = primaryValue(customer, key);
  if (value === undefined) {
    throw refusal(`${at}.${key}`, 'a non-empty string: it is the primary key', Reflect.get(customer, key));
  }
  try {
    return { primaryValue: value, attributes: JSON.stringify(customer) };
  } catch (error) {
    throw new ConfigError(at, `${at} must hold only what JSON can hold: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** The value of the primary key `key`; undefined if there is none. */
export function primaryValue(attributes: object, key: string): string | undefined {
  const value: unknown = Reflect.get(attributes, key);
  return isNonEmptyString(value) ? value : undefined;
}

/** As pages show it. */
export function toRow({ id, primaryValue, attributes }: StoredCustomer): CustomerRow {
  return {
    id,
    primaryKeyValue: primaryValue === null ? null : unescapeText(primaryValue),
    attributes: JSON.parse(attributes),
    version: hash('sha1', attributes, 'base64url'),
  };
}
