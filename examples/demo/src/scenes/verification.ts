import { createCustomerReader } from '@sluice/customers';
import { type Audit, audit } from '../audit.ts';
import { topOperators, type ValueCount } from '../operators.ts';
import { readCounts, readEvents } from '../service-store.ts';
import type { Stage } from '../stage.ts';
import { PRIMARY_KEY } from '../strike-event.ts';
import { formatCount } from '../terminal/numbers.ts';

const TOP = 5;
const SHOWN_DIFFERENCES = 5;

/** What the checks of the service found. */
export interface Findings extends Audit {
  readonly checks: number;
  readonly failed: number;
}

/** Scene 5: everything is read back from the service and compared with the CSV. */
export async function showVerification({ screen, rows, customers, service }: Stage): Promise<Findings> {
  screen.heading('5  What the service has, read back and held against the CSV');
  let checks = 0;
  let failed = 0;
  const check = (passed: boolean, text: string): void => {
    screen.check(passed, text);
    checks += 1;
    if (!passed) failed += 1;
  };

  const [counts, stored] = await Promise.all([readCounts(service.address, TOP), readEvents(service.address)]);
  const found = audit(rows, stored);
  const { delivered, attributed, differences } = found;
  const unique = delivered === rows.length && counts.unique === rows.length;
  check(unique, `${formatCount(counts.unique)} unique events; the CSV has ${formatCount(rows.length)} rows`);
  check(
    attributed === rows.length,
    `${formatCount(attributed)} of them belong to one of ${customers.length} customers`,
  );
  const identical = differences.length === 0;
  check(
    identical,
    `payload, timestamp and operator of ${identical ? 'each' : 'not every one'} are those of its row`,
  );
  for (const difference of differences.slice(0, SHOWN_DIFFERENCES)) screen.say(`  ${difference}`);

  const expected = topOperators(rows, TOP);
  check(isSame(counts.byCorrelationValue, expected), `the top ${TOP} operators, and their counts:`);
  screen.table([
    ['', 'service', 'CSV'],
    ...expected.map(({ value, count }) => [
      value,
      formatCount(counts.byCorrelationValue.find((candidate) => candidate.value === value)?.count ?? 0),
      formatCount(count),
    ]),
  ]);

  const primaryKey = expected[0]?.value ?? '';
  const { apiUrl, apiKey } = service.address;
  const customer = await createCustomerReader({ apiUrl, apiKey }).read(primaryKey);
  const known = customers.find(({ operator }) => operator === primaryKey);
  const alike = Object.entries(known ?? {}).every(([name, value]) => customer[name] === value);
  check(known !== undefined && alike, `customer read by primary key ${PRIMARY_KEY} = ${primaryKey}:`);
  screen.table(Object.entries(customer).map(([name, value]) => [`${name}: ${value}`]));
  return { ...found, checks, failed };
}

function isSame(actual: readonly ValueCount[], expected: readonly ValueCount[]): boolean {
  return (
    actual.length === expected.length &&
    expected.every(({ value, count }, at) => actual[at]?.value === value && actual[at].count === count)
  );
}
