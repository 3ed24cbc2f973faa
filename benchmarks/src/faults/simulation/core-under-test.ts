import type { Tracker } from '@sluice/core';
import type { FileJournal, FileJournalOptions } from '@sluice/core/file-journal';
import type { createTracker, TestOptions } from '@sluice/core/testing';

interface Modules {
  readonly createTracker: typeof createTracker;
  readonly FileJournal: typeof FileJournal;
}

/** The package that a simulation runs. */
export class CoreUnderTest {
  readonly #modules: Modules;
  #exitListeners: readonly NodeJS.ExitListener[] = [];

  private constructor(modules: Modules) {
    this.#modules = modules;
  }

  /** @param directory A copy of the package, to be used in its place. */
  static async load(directory?: string): Promise<CoreUnderTest> {
    const [core, journal] =
      directory === undefined
        ? ['@sluice/core/testing', '@sluice/core/file-journal']
        : [`${directory}/dist/entries/testing/testing.js`, `${directory}/dist/entries/file-journal.js`];
    const { createTracker } = await import(core);
    const { FileJournal } = await import(journal);
    return new CoreUnderTest({ createTracker, FileJournal });
  }

  createTracker(options: TestOptions, journal: FileJournalOptions): Tracker {
    const { createTracker, FileJournal } = this.#modules;
    const others = new Set(process.listeners('exit'));
    const tracker = createTracker({ logger: false, ...options, journal: new FileJournal(journal) });
    // One listener serves all trackers, so most trackers add none.
    const added = process.listeners('exit').filter((listener) => !others.has(listener));
    if (added.length > 0) this.#exitListeners = added;
    return tracker;
  }

  /** Does what all trackers do when their process ends by `process.exit()`. */
  exit(): void {
    for (const listener of this.#exitListeners) listener(0);
  }
}
