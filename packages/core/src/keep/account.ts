import { hashOf } from '../base/hash.ts';

/** The options that distinguish accounts. */
export interface AccountNames {
  readonly baseUrl: string;
  readonly correlationKey: string;
  readonly apiKey?: string | undefined;
  readonly account?: string | undefined;
  readonly destination?: { readonly path?: string | undefined } | undefined;
}

/** Returns a string that identifies the account. Trackers with the same string share their storage. */
export function accountOf({
  baseUrl,
  correlationKey,
  apiKey = '',
  destination,
  account = apiKey,
}: AccountNames): string {
  return [baseUrl, correlationKey, account + (destination?.path ?? '')].join('\n');
}

/**
 * The name of a database. It is different for each account of an origin or app, and does not reveal the API key.
 *
 * @param part Of the place: events that are not to be delivered now have a database of their own.
 */
export function databaseName(account: AccountNames, part: string = ''): string {
  return `sluice${part && ` ${part}`} ${hashOf(accountOf(account)).toString(36)}`;
}
