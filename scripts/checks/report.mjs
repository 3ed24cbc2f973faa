/**
 * Checks by name. Each returns a remark, or throws an error that says what is wrong.
 * @typedef {Record<string, () => string | Promise<string>>} Checks
 */

/**
 * Runs checks one after another, and prints one row for each.
 * @param {Checks} checks
 * @returns {Promise<string[]>} the names of the failed checks
 */
export async function report(checks) {
  const failed = [];
  for (const [name, check] of Object.entries(checks)) {
    const start = performance.now();
    /** @param {string} word @param {string} remark */
    const row = (word, remark) => {
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      console.log(`${word.padEnd(7)}${name.padEnd(24)}${seconds.padStart(5)} s  ${remark}`.trimEnd());
    };
    try {
      row('ok', await check());
    } catch (error) {
      failed.push(name);
      row('FAILED', '');
      console.log(error instanceof Error ? error.message : error);
    }
  }
  return failed;
}
