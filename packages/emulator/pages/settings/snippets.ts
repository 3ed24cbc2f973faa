import type { KeyRow } from '../../src/admin/contract.ts';
import { status } from '../shell/live.ts';

/** Languages of snippets, with their names. */
export const LANGUAGES = { curl: 'curl', sdk: 'Sluice', fetch: 'fetch' };

const EXAMPLES: Readonly<Record<string, string>> = { email: 'ada@example.com', phone_number: '+15550100' };

/** Code that sends events to this emulator, and code that reads a customer, with the oldest key that is valid. */
export function snippets(language: string, keys: readonly KeyRow[] = []): { send: string; read: string } {
  const { baseUrl = '', apiUrl = '', primaryKey: selected } = status.value ?? {};
  const primaryKey = selected ?? 'email';
  const apiKey = keys.findLast(({ revokedAt }) => revokedAt === null)?.key ?? 'API_KEY';
  const value = (Object.hasOwn(EXAMPLES, primaryKey) && EXAMPLES[primaryKey]) || 'ada';
  const event = {
    event: 'purchase',
    correlationKey: primaryKey,
    correlationValue: value,
    source: 'custom',
    payload: { total: 42.5 },
  };
  if (language === 'sdk')
    return {
      send: `import { createTracker } from '@sluice/core';

const tracker = createTracker({
  baseUrl: '${baseUrl}',
  apiKey: ${inCode(apiKey)},
  correlationKey: ${JSON.stringify(primaryKey)},
});

tracker.track('purchase', { total: 42.5 }, { correlationValue: '${value}' });
await tracker.close();`,
      read: `import { createCustomerReader } from '@sluice/customers';

const customers = createCustomerReader({ apiUrl: '${apiUrl}', apiKey: ${inCode(apiKey)} });

console.log(await customers.read('${value}'));`,
    };
  const request = language === 'curl' ? curl : fetched;
  return {
    send: request(`${baseUrl}/api/events/batch/`, apiKey, { batch: [event] }),
    read: request(`${apiUrl}/customers/read`, apiKey, { primary_key: value }),
  };
}

function curl(url: string, apiKey: string, body: unknown): string {
  return `curl ${url} \\
  -H ${inShell(`Authorization: Api-Key ${apiKey}`)} \\
  -H 'Content-Type: application/json' \\
  -d ${inShell(written(body))}`;
}

function fetched(url: string, apiKey: string, body: unknown): string {
  return `const response = await fetch('${url}', {
  method: 'POST',
  headers: {
    Authorization: ${inCode(`Api-Key ${apiKey}`)},
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${written(body)}),
});
console.log(response.status, await response.text());`;
}

/** A text as an argument in a shell. */
export function inShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A text in JavaScript. */
function inCode(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll("'", "\\'")}'`;
}

/** As JSON, in lines that begin where the others do. */
function written(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', '\n  ');
}
