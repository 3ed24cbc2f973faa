/** Names the place of what trackers of one account share. */
export function accountOf(baseUrl: string, correlationKey: string, apiKey: string | undefined): string {
  return [baseUrl, correlationKey, apiKey ?? ''].join('\n');
}
