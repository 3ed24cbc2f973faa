/** How long a test waits for something that must happen. `expect.poll` uses it by default; pass it to `vi.waitFor`. */
export const PATIENCE = { timeout: 60_000 };
