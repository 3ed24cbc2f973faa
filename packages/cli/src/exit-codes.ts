/** What the process ends with. The README and `sluice --help` list them. */
export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The command line, the environment or the configuration is wrong. The message says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
