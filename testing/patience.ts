/** How long a test waits for what is sure to come about: `expect.poll` by itself, and `vi.waitFor(..., PATIENCE)`. */
export const PATIENCE = { timeout: 60_000 };
