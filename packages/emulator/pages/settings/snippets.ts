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
export function snippets(
  language: Language,
  account: Account,
): { readonly send: string; readonly read: string } {
  return { curl, sdk, node: withFetch, browser }[language](account);
}

const EXAMPLES: Readonly<Record<string, string>> = { email: 'ada@example.com', phone_number: '+15550100' };

function example({ primaryKey }: Account): string {
  return EXAMPLES[primaryKey] ?? 'ada';
}

function curl(account: Account): { send: string; read: string } {
  const { baseUrl, apiUrl, apiKey, primaryKey } = account;
  const body = `{
    "batch": [{
      "event": "purchase",
      "correlationKey": ${JSON.stringify(primaryKey)},
      "correlationValue": ${JSON.stringify(example(account))},
      "source": "custom",
      "payload": { "total": 42.5 }
    }]
  }`;
  const headers = `  -H 'Authorization: Api-Key ${apiKey}' \\\n  -H 'Content-Type: application/json' \\`;
  const send = `curl ${baseUrl}/api/events/batch/ \\\n${headers}\n  -d ${shell(body)}`;
  const wanted = JSON.stringify({ primary_key: example(account) });
  return { send, read: `curl ${apiUrl}/customers/read \\\n${headers}\n  -d ${shell(wanted)}` };
}

function sdk(account: Account): { send: string; read: string } {
  const { baseUrl, apiUrl, apiKey, primaryKey } = account;
  return {
    send: `import { createTracker } from '@sluice/core';

const tracker = createTracker({
  baseUrl: ${text(baseUrl)},
  apiKey: ${text(apiKey)},
  correlationKey: ${text(primaryKey)},
});

tracker.track('purchase', { total: 42.5 }, { correlationValue: ${text(example(account))} });
await tracker.close();`,
    read: `import { createCustomerReader } from '@sluice/customers';

const customers = createCustomerReader({
  apiUrl: ${text(apiUrl)},
  apiKey: ${text(apiKey)},
});

console.log(await customers.read(${text(example(account))}));`,
  };
}

function withFetch(account: Account): { send: string; read: string } {
  const { baseUrl, apiUrl, apiKey, primaryKey } = account;
  const request = (url: string, body: string) => `const response = await fetch(${text(url)}, {
  method: 'POST',
  headers: {
    Authorization: ${text(`Api-Key ${apiKey}`)},
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${body}),
});
console.log(response.status, await response.text());`;
  const event = `{
    batch: [{
      event: 'purchase',
      correlationKey: ${text(primaryKey)},
      correlationValue: ${text(example(account))},
      source: 'custom',
      payload: { total: 42.5 },
    }],
  }`;
  return {
    send: request(`${baseUrl}/api/events/batch/`, event),
    read: request(`${apiUrl}/customers/read`, `{ primary_key: ${text(example(account))} }`),
  };
}

// A key in a page is public. With a real account, the relay holds the key. Here it is only a key of this machine.
function browser(account: Account): { send: string; read: string } {
  const { baseUrl, apiKey, primaryKey } = account;
  return {
    send: `import { createTracker } from '@sluice/core';

const tracker = createTracker({
  baseUrl: ${text(baseUrl)},
  apiKey: ${text(apiKey)}, // here only: a key in a page is public
  correlationKey: ${text(primaryKey)},
});

tracker.identify(${text(example(account))});
tracker.track('purchase', { total: 42.5 });`,
    read: withFetch(account).read,
  };
}

function text(value: string): string {
  return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function shell(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}
