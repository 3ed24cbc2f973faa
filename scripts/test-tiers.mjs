/**
 * What runs when, as projects of vitest.config.ts: `npm test` is for every change, `npm run test:long` for CI and for whoever
 * changes what it covers. A file of tests named `x.long.test.ts` is of the project `long`, and runs on Node.
 */
export const tiers = {
  short: ['node', 'portable', 'apart', 'chromium'],
  long: ['long', 'firefox', 'webkit'],
};
