/** Waits before each round, in milliseconds: each is twice as long as the one before. */
const FIRST_WAIT_MS = 1_000;
const LAST_WAIT_MS = 8_000;

interface Rounds {
  /** Whether no process drains the directory that started earlier. */
  readonly isFirst: () => Promise<boolean>;
  readonly wait: (ms: number) => Promise<unknown>;
  /** Whether another tool ended since the last call. */
  readonly isVisited: () => boolean;
  /** Delivers what tools left. Resolves to false if there was nothing, or if it cannot be delivered now. */
  readonly drain: () => Promise<boolean>;
}

/**
 * Delivers what short processes left. While they follow one another, it waits for more of them, so that they share few requests.
 * Ends after a round without any: a tool that ends later starts another process.
 */
export async function drainInRounds({ isFirst, wait, isVisited, drain }: Rounds): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; await isFirst(); waitMs = Math.min(LAST_WAIT_MS, 2 * waitMs)) {
    await wait(waitMs);
    const isBusy = isVisited();
    if (isBusy && waitMs < LAST_WAIT_MS) continue;
    if (!(await drain()) && !isBusy && !isVisited()) break;
  }
}
