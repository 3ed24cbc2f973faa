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
    return createTracker({ logger: false, ...options, journal: new FileJournal(journal) });
  }

  /** Does what all trackers do when their process ends by `process.exit()`. One listener serves them all, and those of other tests. */
  exit(): void {
    for (const listener of process.listeners('exit')) if (listener.name === '#onExit') listener(0);
  }
}
