import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '../../../src/entries/testing/virtual-clock.ts';
import { FileJournal, type FileJournalOptions } from '../../../src/keep/file/file-journal.ts';
import type { Locks } from '../../../src/keep/file/slots/system-locks.ts';
import { readAll, Witness } from '../../contracts/journal-contract.ts';

/** An open journal, and the observer of its events. */
export interface Life {
  readonly journal: FileJournal;
  readonly witness: Witness;
}

/** A journal directory, and the journals in it. */
export class Place {
  readonly directory: string;
  readonly clock = new VirtualClock();
  readonly #journals: FileJournal[] = [];

  private constructor(directory: string) {
    this.directory = directory;
  }

  /** @param parent Where its directory is. */
  static async create(parent: string = tmpdir()): Promise<Place> {
    return new Place(await mkdtemp(join(parent, 'sluice-')));
  }

  /** A journal in this place. Its clock stands still until a test moves it. */
  create(options: Partial<FileJournalOptions> = {}): FileJournal {
    const { directory, clock } = this;
    const journal = new FileJournal({ directory, clock, fsync: 'interval', ...options });
    this.#journals.push(journal);
    return journal;
  }

  async open(options?: Partial<FileJournalOptions>): Promise<Life> {
    const journal = this.create(options);
    const witness = new Witness();
    await journal.open(witness);
    return { journal, witness };
  }

  /** Closes all open journals. Returns the events that the next one finds, in the order in which they are read. */
  async inherited(): Promise<string[]> {
    for (const journal of this.#journals.splice(0)) await journal.close();
    const { journal, witness } = await this.open();
    return readAll(journal, witness.ranges);
  }

  async files(suffix: string): Promise<string[]> {
    const names = await readdir(this.directory, { recursive: true });
    return names
      .filter((name) => name.endsWith(suffix))
      .sort()
      .map((name) => join(this.directory, name));
  }

  /** The path of the only segment. Throws if there are none or several. */
  async theSegment(): Promise<string> {
    const [path, ...others] = await this.files('.segment');
    if (path === undefined || others.length > 0) throw new Error('there is not exactly one segment');
    return path;
  }

  async remove(): Promise<void> {
    for (const journal of this.#journals.splice(0)) await journal.close();
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** Locks that a test can take away from their holders, as if the holders' processes were killed. */
export class MortalLocks implements Locks {
  readonly #held = new Map<string, () => void>();

  /** From now on all holders of locks count as dead, although their code may still run. */
  killAll(): void {
    this.#held.clear();
  }

  async hold(_directory: string, name: string, onVisit: () => void): ReturnType<Locks['hold']> {
    this.#held.set(name, onVisit);
    return { release: async () => void this.#held.delete(name) };
  }

  async isHeld(_directory: string, name: string): Promise<boolean> {
    this.#held.get(name)?.();
    return this.#held.has(name);
  }

  async discard(): Promise<void> {}
}
