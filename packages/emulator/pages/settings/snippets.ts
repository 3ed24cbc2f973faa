/** Languages of snippets, with their names. */
export const LANGUAGES = {
  curl: 'curl',
  sdk: 'Node (Sluice)',
  node: 'Node (fetch)',
  browser: 'Browser',
} as const;

/** Name of a language of snippets. */
export type Language = keyof typeof LANGUAGES;

/** The values in snippets. */
export interface Account {
  readonly baseUrl: string;
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly primaryKey: string;
}

const EXAMPLES: Readonly<Record<string, string>> = { email: 'ada@example.com', phone_number: '+15550100' };

/** Code that sends events, and code that reads a customer. */
export function snippets(
  language: Language,
  account: Account,
): { readonly send: string; readonly read: string } {
  const { baseUrl, apiUrl, apiKey, primaryKey } = account;
  const value = EXAMPLES[primaryKey] ?? 'ada';
  const batch = {
    batch: [
      {
        event: 'purchase',
        correlationKey: primaryKey,
        correlationValue: value,
        source: 'custom',
        payload: { total: 42.5 },
      },
    ],
  };
  const request = language === 'curl' ? curl : fetched;
  const send = request(`${baseUrl}/api/events/batch/`, apiKey, batch);
  const read = request(`${apiUrl}/customers/read`, apiKey, { primary_key: value });
  const tracked = `tracker.track('purchase', { total: 42.5 }`;
  if (language === 'sdk')
    return {
      send: tracker(account, `${tracked}, { correlationValue: '${value}' });\nawait tracker.close();`),
      read: `import { createCustomerReader } from '@sluice/customers';

const customers = createCustomerReader({
  apiUrl: '${apiUrl}',
  apiKey: '${apiKey}',
});

console.log(await customers.read('${value}'));`,
    };
  if (language === 'browser') {
    // With a real account, the relay holds the key. Here it is only a key of this machine.
    const note = '// here only: a key in a page is public';
    return { send: tracker(account, `${note}\ntracker.identify('${value}');\n${tracked});`), read };
  }
  return { send, read };
}

function curl(url: string, apiKey: string, body: unknown): string {
  return `curl ${url} \\
  -H 'Authorization: Api-Key ${apiKey}' \\
  -H 'Content-Type: application/json' \\
  -d '${written(body).replaceAll("'", "'\\''")}'`;
}

function fetched(url: string, apiKey: string, body: unknown): string {
  return `const response = await fetch('${url}', {
  method: 'POST',
  headers: {
    Authorization: 'Api-Key ${apiKey}',
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${written(body)}),
});
console.log(response.status, await response.text());`;
}

function tracker({ baseUrl, apiKey, primaryKey }: Account, use: string): string {
  return `import { createTracker } from '@sluice/core';

const tracker = createTracker({
  baseUrl: '${baseUrl}',
  apiKey: '${apiKey}',
  correlationKey: ${JSON.stringify(primaryKey)},
});

${use}`;
}

/** As JSON, in lines that begin where the others do. */
function written(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', '\n  ');
}
