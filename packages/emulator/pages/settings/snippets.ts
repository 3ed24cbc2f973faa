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

/** Code that sends events, and code that reads a customer. */
interface Snippets {
  readonly send: string;
  readonly read: string;
}

const EXAMPLES: Readonly<Record<string, string>> = { email: 'ada@example.com', phone_number: '+15550100' };

export function snippets(language: Language, account: Account): Snippets {
  const value = EXAMPLES[account.primaryKey] ?? 'ada';
  return { curl, sdk, node, browser }[language](account, value);
}

function curl({ baseUrl, apiUrl, apiKey, primaryKey }: Account, value: string): Snippets {
  const call = (url: string, body: string) => `curl ${url} \\
  -H 'Authorization: Api-Key ${apiKey}' \\
  -H 'Content-Type: application/json' \\
  -d '${body.replaceAll("'", "'\\''")}'`;
  const batch = `{
    "batch": [{
      "event": "purchase",
      "correlationKey": ${JSON.stringify(primaryKey)},
      "correlationValue": ${JSON.stringify(value)},
      "source": "custom",
      "payload": { "total": 42.5 }
    }]
  }`;
  return {
    send: call(`${baseUrl}/api/events/batch/`, batch),
    read: call(`${apiUrl}/customers/read`, JSON.stringify({ primary_key: value })),
  };
}

function node({ baseUrl, apiUrl, apiKey, primaryKey }: Account, value: string): Snippets {
  const call = (url: string, body: string) => `const response = await fetch(${text(url)}, {
  method: 'POST',
  headers: {
    Authorization: ${text(`Api-Key ${apiKey}`)},
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${body}),
});
console.log(response.status, await response.text());`;
  const batch = `{
    batch: [{
      event: 'purchase',
      correlationKey: ${text(primaryKey)},
      correlationValue: ${text(value)},
      source: 'custom',
      payload: { total: 42.5 },
    }],
  }`;
  return {
    send: call(`${baseUrl}/api/events/batch/`, batch),
    read: call(`${apiUrl}/customers/read`, `{ primary_key: ${text(value)} }`),
  };
}

function tracker({ baseUrl, apiKey, primaryKey }: Account, note: string, use: string): string {
  return `import { createTracker } from '@sluice/core';

const tracker = createTracker({
  baseUrl: ${text(baseUrl)},
  apiKey: ${text(apiKey)},${note}
  correlationKey: ${text(primaryKey)},
});

${use}`;
}

function sdk(account: Account, value: string): Snippets {
  const use = `tracker.track('purchase', { total: 42.5 }, { correlationValue: ${text(value)} });
await tracker.close();`;
  const read = `import { createCustomerReader } from '@sluice/customers';

const customers = createCustomerReader({
  apiUrl: ${text(account.apiUrl)},
  apiKey: ${text(account.apiKey)},
});

console.log(await customers.read(${text(value)}));`;
  return { send: tracker(account, '', use), read };
}

// A key in a page is public. With a real account, the relay holds the key. Here it is only a key of this machine.
function browser(account: Account, value: string): Snippets {
  const use = `tracker.identify(${text(value)});\ntracker.track('purchase', { total: 42.5 });`;
  const send = tracker(account, ' // here only: a key in a page is public', use);
  return { send, read: node(account, value).read };
}

function text(value: string): string {
  return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
