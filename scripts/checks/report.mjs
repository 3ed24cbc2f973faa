/**
 * Checks by name. Each returns a remark, or throws an error that says what is wrong.
 * @typedef {Record<string, () => string | Promise<string>>} Checks
 */

/**
 * Runs checks one after another, and prints one row for each. Several groups of checks run at the same time.
 * @param {readonly Checks[]} groups
 * @returns {Promise<string[]>} the names of the failed checks
 */
export async function report(...groups) {
  const failed = await Promise.all(groups.map(reportGroup));
  return failed.flat();
}

/** @param {Checks} checks */
async function reportGroup(checks) {
  const failed = [];
  for (const [name, check] of Object.entries(checks)) {
    const start = performance.now();
    // Not with console.log: a check that runs at the same time may have silenced it.
    /** @param {string} word @param {string} remark */
    const row = (word, remark) => {
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      const text = `${word.padEnd(7)}${name.padEnd(24)}${seconds.padStart(5)} s  ${remark}`;
      process.stdout.write(`${text.trimEnd()}\n`);
    };
    try {
      row('ok', await check());
    } catch (error) {
      failed.push(name);
      row('FAILED', `\n${error instanceof Error ? error.message : error}`);
    }
  }
  return failed;
}
