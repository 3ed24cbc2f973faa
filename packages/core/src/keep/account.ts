/** What tells the accounts of one machine, or of one page, apart. */
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
  account = apiKey + (destination?.path ?? ''),
}: AccountNames): string {
  return [baseUrl, correlationKey, account].join('\n');
}
