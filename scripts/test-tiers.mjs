/**
 * Which projects of vitest.config.ts run when. `short`: `npm test`, for every change. `long`: `npm run test:long`, for CI and
 * for developers who change what it covers. A test file named `x.long.test.ts` belongs to the project `long`, and runs on Node.
 */
export const tiers = {
  short: ['node', 'apart', 'chromium'],
  long: ['long', 'firefox', 'webkit'],
};
