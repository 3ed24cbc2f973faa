// Turns vitest's JSON report into the summary line that people and scripts read.

/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {{ status: string, assertionResults: { status: string }[] }} FileResult
 * @param {{ testResults: FileResult[] }} report
 * @returns {Counts}
 */
export function count({ testResults }) {
  const statuses = testResults.flatMap((file) => file.assertionResults.map(({ status }) => status));
  const passed = statuses.filter((status) => status === 'passed').length;
  const failed = statuses.filter((status) => status === 'failed').length;
  // A file that could not be loaded has no failed test. Count it as one failure.
  const broken = testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  );
  return { passed, failed: failed + broken.length, skipped: statuses.length - passed - failed };
}

/** @param {Counts} counts */
export function summaryLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`;
}
