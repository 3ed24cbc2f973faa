// Checks how many gzipped bytes each entry point adds to a page.
import { bundleForBrowser } from './browser-bundle.mjs';
import { breakdown, gzippedBytes } from './bundle-breakdown.mjs';

/**
 * @typedef {object} Budget
 * @property {string} source what a page imports and calls
 * @property {string} [beside] what the page has already; only what `source` adds to this is counted
 * @property {number} demand how many gzipped bytes it may add
 * @property {number} most above this the check fails: the present size, with some 20 bytes that come and go as gzip finds more or less alike.
 * It only goes down. (That of `learn` went up twice, by 300 B, as core went down by 16,000: it counts what core counted before. Those of
 * core went up nine times, by 340, 285, 25, 25, 125, 70, 80, 65 and 15 B, and those of its parts by up to 170: that is what the mends of a hundred
 * faults cost, events that were lost or came twice among them.)
 */

const tracker = `import { createTracker } from '@sluice/core';
globalThis.tracker = createTracker({ baseUrl: location.origin, correlationKey: 'email' });\n`;
const full = tracker.replace('@sluice/core', '@sluice/core/full');
const gzip = `import { gzip } from '@sluice/core/gzip';\nglobalThis.gzip = gzip;\n`;
const deadLetters = `import { deadLetters } from '@sluice/core/dead-letters';
globalThis.deadLetters = deadLetters;\n`;
const learn = `import { learn } from '@sluice/core/learn';\nglobalThis.learn = learn;\n`;
const perCustomer = `import { perCustomer } from '@sluice/core/per-customer';
globalThis.perCustomer = perCustomer;\n`;
const destination = `import { destination } from '@sluice/core/destination';
globalThis.destination = destination;\n`;
const hooks = `import { hooks, pageContext } from '@sluice/core/hooks';
globalThis.hooks = [hooks, pageContext];\n`;
const pageViews = `import { pageViews } from '@sluice/core/page-views';
pageViews(globalThis.tracker);\n`;
const checked = `import { checked } from '@sluice/core/checked';\nglobalThis.checked = checked;\n`;
const waitUntil = `import { waitUntil } from '@sluice/core/wait-until';
globalThis.waitUntil = waitUntil;\n`;
const small = ['classify', 'guards', 'idempotency', 'logger']
  .map((part) => `import { ${part} } from '@sluice/core/${part}';\nglobalThis.${part} = ${part};\n`)
  .join('');
const worker = `import { drainOnSync } from '@sluice/core/service-worker';
drainOnSync({ baseUrl: location.origin, correlationKey: 'email' });\n`;
const relayDrain = `import { relayDrain } from '@sluice/core/relay-drain';
globalThis.relayDrain = relayDrain;\n`;
const otel = `import { observeTracker } from '@sluice/core/otel';\nglobalThis.observe = observeTracker;\n`;
const error = `import { isSluiceError } from '@sluice/core';\nglobalThis.isSluiceError = isSluiceError;\n`;
const customers = `import { createCustomerReader } from '@sluice/customers';
globalThis.customers = createCustomerReader({ apiUrl: location.origin });\n`;
const customersParts = ['cache', 'checked', 'concurrency', 'schema']
  .map((part) => `import { ${part} } from '@sluice/customers/${part}';\nglobalThis.${part} = ${part};\n`)
  .join('');

/** @type {Record<string, Budget>} */
const BUDGETS = {
  core: { source: tracker, demand: 14_336, most: 24_785 },
  'core/full': { source: full, demand: 24_576, most: 32_885 },
  'core, all of it': { source: `export * from '@sluice/core';\n`, demand: 14_336, most: 24_920 },
  'core, one function of it': { source: error, demand: 200, most: 175 },
  'core with checked': { source: checked, beside: tracker, demand: 1_600, most: 1_505 },
  'core with gzip': { source: gzip, beside: tracker, demand: 600, most: 590 },
  'core with deadLetters': { source: deadLetters, beside: tracker, demand: 2_000, most: 1_005 },
  'core with destination': { source: destination, beside: tracker, demand: 910, most: 905 },
  'core with hooks': { source: hooks, beside: tracker, demand: 1_565, most: 1_610 },
  // Sizes in bytes and in events, and the rate.
  'core with learn': { source: learn, beside: tracker, demand: 780, most: 1_046 },
  'core with perCustomer': { source: perCustomer, beside: tracker, demand: 1_000, most: 80 },
  'core with its small parts': { source: small, beside: tracker, demand: 2_000, most: 1_500 },
  'core with waitUntil': { source: waitUntil, beside: tracker, demand: 150, most: 80 },
  'core with otel': { source: otel, beside: tracker, demand: 1_000, most: 935 },
  'service worker': { source: worker, demand: 6_144, most: 4_305 },
  'service worker with relayDrain': { source: relayDrain, beside: worker, demand: 400, most: 305 },
  'core with pageViews': { source: pageViews, beside: tracker, demand: 720, most: 682 },
  // They share the rules of options, which a page without the part `checked` does not have.
  'customers beside core with checked': {
    source: customers,
    beside: tracker + checked,
    demand: 1_536,
    // Some 30 bytes come and go with every change of core: gzip looks back 32 KiB, and finds more or less of this there.
    most: 1_590,
  },
  'customers with its parts': { source: customersParts, beside: customers, demand: 1_200, most: 1_175 },
  'core and customers': { source: tracker + customers, demand: 15_872, most: 26_495 },
};

/** How many modules the table shows. */
const ROWS = 40;

/**
 * @param {string} folder of a project in which the packages are installed
 * @returns {Record<string, () => Promise<string>>} one check for each entry point
 */
export function browserChecks(folder) {
  return Object.fromEntries(
    Object.entries(BUDGETS).map(([name, budget]) => [`size: ${name}`, () => check(folder, budget)]),
  );
}

/**
 * @param {string} folder
 * @param {Budget} budget
 */
async function check(folder, { source, beside = '', demand, most }) {
  const bundle = await bundleForBrowser(folder, beside + source);
  const before = beside === '' ? 0 : gzippedBytes((await bundleForBrowser(folder, beside)).code);
  const bytes = gzippedBytes(bundle.code) - before;
  const miss = bytes > demand ? `, ${bytes - demand} above the ${demand} demanded` : ` of ${demand}`;
  const remark = `${bytes} bytes gzipped${miss}`;
  if (bytes > most) throw new Error(`${remark}; at most ${most} may be left\n${table(bundle)}`);
  return source === tracker ? `${remark}; by module:\n${table(bundle)}` : remark;
}

/** @param {{ code: string, map: string }} bundle */
function table(bundle) {
  const rows = breakdown(bundle);
  const rest = rows.slice(ROWS).reduce((sum, row) => sum + row.bytes, 0);
  const shown = [
    ...rows.slice(0, ROWS),
    { module: `${Math.max(0, rows.length - ROWS)} others`, bytes: rest },
  ];
  return shown.map(({ module, bytes }) => `${String(bytes).padStart(12)}  ${module}`).join('\n');
}
