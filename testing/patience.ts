/**
 * So long a test waits for what a page is to show: longer than a busy machine takes, and shorter than the test's own limit, so
 * that a failure says what did not come.
 */
export const PATIENCE_MS = 100_000;
