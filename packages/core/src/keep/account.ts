/** Returns a string that identifies the account. Trackers with the same string share their storage. */
export function accountOf(baseUrl: string, correlationKey: string, apiKey: string | undefined): string {
  return [baseUrl, correlationKey, apiKey ?? ''].join('\n');
}
