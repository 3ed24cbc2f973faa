import { makeRow, type Row } from '../row.ts';
import { CUSTOMERS, customerOf, SKUS, skuOf } from '../workload/varied-event.ts';
import { admin, type Ready } from './admin.ts';

/** How often each search is made. */
export const SEARCHES = 5;
const MOST_ROWS = 100;
const MOST_SEARCH_MS = 300;
const SKU_NUMBER = 12_345;
const CUSTOMER_NUMBER = 777;

interface Query {
  readonly name: string;
  /** As on the event tracker's page. */
  readonly fields: Readonly<Record<string, string>>;
  /** How many rows it must find. Default: as many as a search returns at most. */
  readonly rows?: number;
}

interface Found {
  readonly rows: readonly { readonly receivedAt: string }[];
  readonly next: number | null;
}

/** Searches among so many events. Throws if a search finds more or fewer rows than there are. */
export async function searched(service: Ready, events: number): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const query of await queriesOf(service, events)) {
    const took: number[] = [];
    for (let time = 0; time < SEARCHES; time += 1) {
      const startedAt = performance.now();
      const found = await countFound(service, query.fields);
      took.push(performance.now() - startedAt);
      const { name, rows: expected = MOST_ROWS } = query;
      if (found !== expected) throw new Error(`a search for ${name} found ${found} rows, not ${expected}`);
    }
    const title = `emulator, ${events.toLocaleString('en')} events searched for ${query.name}`;
    const demand = { of: 'value', bound: 'at most', limit: MOST_SEARCH_MS } as const;
    rows.push(makeRow({ name: title, unit: 'ms', values: took, demand }));
  }
  return rows;
}

async function queriesOf(service: Ready, events: number): Promise<readonly Query[]> {
  const receivedAt = async (part: number) => {
    const event = (await admin(service, `events/${Math.floor(events * part)}`)) as Found['rows'][number];
    return event.receivedAt;
  };
  const [from, to] = [await receivedAt(1 / 3), await receivedAt(2 / 3)];
  const every = (period: number, first: number) => Math.min(MOST_ROWS, Math.ceil((events - first) / period));
  return [
    { name: 'a common word', fields: { text: 'juniper' } },
    { name: 'a rare word', fields: { text: skuOf(SKU_NUMBER) }, rows: every(SKUS, SKU_NUMBER) },
    { name: 'the beginning of a word', fields: { text: 'custo' } },
    { name: 'a name and two words', fields: { name: 'purchase', text: 'quartz thyme' } },
    {
      name: 'a customer',
      fields: { correlationValue: customerOf(CUSTOMER_NUMBER) },
      rows: every(CUSTOMERS, CUSTOMER_NUMBER),
    },
    { name: 'a word in a third of the time', fields: { from, to, text: 'amber' } },
    { name: 'purchases of no customer', fields: { attributed: 'false', name: 'purchase' } },
    { name: 'what is in no event', fields: { text: 'nothing-like-it' }, rows: 0 },
  ];
}

/** A search ends after half a second, found or not: then it goes on, as on the page. */
async function countFound(service: Ready, fields: Query['fields']): Promise<number> {
  let count = 0;
  let before: Readonly<Record<string, string>> = {};
  while (count < MOST_ROWS) {
    const query = new URLSearchParams({ ...fields, ...before, limit: String(MOST_ROWS - count) });
    const { rows, next } = (await admin(service, `events?${query}`)) as Found;
    count += rows.length;
    if (next === null) break;
    before = { before: String(next) };
  }
  return count;
}
