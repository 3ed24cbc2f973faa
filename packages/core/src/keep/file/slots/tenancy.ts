import { extname } from 'node:path';
import { Alarm } from '../../../base/alarm.ts';
import { StorageError, storageError } from '../../../base/errors/storage-error.ts';
import { errorCode } from '../disk/file-system.ts';
import type { Site } from '../site.ts';
import { Slot } from './slot.ts';

/** Short enough to take over an orphan within 30 s. */
const ADOPTION_INTERVAL_MS = 20_000;
/** For a process that is alone: somebody may restore a backup. */
const ALONE_INTERVAL_MS = 10 * 60_000;

/**
 * Called with the directories that this journal took over from dead owners, and those that it had before, into which somebody
 * may have put files. `makeDirectory` makes another one. Never rejects. Resolves to false to be called again later.
 */
type OnLook = (
  adopted: readonly string[],
  own: readonly string[],
  makeDirectory: () => Promise<string>,
) => Promise<boolean>;

/** This journal's part of a shared journal directory: its slot, and the directories that it takes over from dead owners. */
export class Tenancy {
  readonly #site: Site;
  readonly #onLook: OnLook;
  #slot: Promise<Slot> | undefined;
  /** Slots whose directory and lock somebody removed. What was taken over under their names is still in use. */
  readonly #former: Slot[] = [];
  /** Directories that could not be taken over, and were reported. */
  readonly #told = new Set<string>();
  #claimed: Slot | undefined;
  #keeping: Promise<void> | undefined;
  #adopting: Promise<void> = Promise.resolve();
  /** Rings when it is time to look again. Stopped by `retire()`. */
  readonly #alarm: Alarm;
  #delayMs = 0;
  #lookedAt = 0;

  constructor(site: Site, onLook: OnLook) {
    this.#site = site;
    this.#onLook = onLook;
    this.#alarm = new Alarm(site.clock, () => this.#look());
  }

  /** The slot's own directory; undefined until the slot is claimed. For the last moment, when nothing can be awaited. */
  get directory(): string | undefined {
    return this.#claimed?.directory;
  }

  /** The size of the disk, in bytes; infinite until it is known. */
  get diskBytes(): number {
    return this.#claimed?.diskBytes ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Calls `write` with the slot's directory. If there is none, calls it with a new directory that is left to the next
   * process. Returns the final path of the directory.
   */
  writeSync(write: (directory: string) => void): string {
    const { directory } = this;
    try {
      if (directory !== undefined) {
        write(directory);
        return directory;
      }
    } catch (error) {
      // Somebody removed the directory.
      if (errorCode(error) !== 'ENOENT') throw error;
    }
    return Slot.leaveSync(this.#site, write);
  }

  /**
   * Claims a slot if the root exists, and resolves once what lies there is taken over. If not, the first event makes the root. Nothing is
   * looked at in this turn of the event loop: a build or a server render only imports code that creates a tracker.
   */
  async open(): Promise<void> {
    const { root, fs } = this.#site;
    await fs.endOfTurn?.();
    const failure = await fs.volume(root).catch(errorCode);
    if (failure === 'ENOENT') this.#watch(ALONE_INTERVAL_MS);
    else if (!this.#alarm.isStopped) await this.claim();
    await this.#adopting;
  }

  /** Claims a slot if there is none, and starts to take over what dead owners left. Returns the slot's directory. */
  async claim(): Promise<string> {
    this.#slot ??= Slot.claim(this.#site, () => this.#watch()).then(
      (slot) => {
        this.#claimed = slot;
        this.#adopting = this.#adopting.then(() => this.#adopt(slot));
        return slot;
      },
      (error) => {
        // The next caller tries again, and so does the timer.
        this.#slot = undefined;
        this.#watch();
        throw error;
      },
    );
    return (await this.#slot).directory;
  }

  /** Somebody removed the slot's directory: creates it again. If the lock is gone as well, the next claim takes another slot. */
  async remake(): Promise<void> {
    const slot = this.#claimed;
    if (slot !== undefined && !(await slot.remake())) this.#give(slot);
  }

  /** Takes the lock again if somebody removed it. Rejects if it cannot: then the next claim takes another slot. */
  keep(): Promise<void> {
    this.#keeping ??= this.#keep().finally(() => {
      this.#keeping = undefined;
    });
    return this.#keeping;
  }

  /**
   * Looks for orphans if the last look is old enough. Called from time to time by code that runs anyway. For a process that is
   * alone, this finds what a short process left, and what somebody restored.
   */
  lookAround(): void {
    const age = this.#site.clock.now() - this.#lookedAt;
    if (this.#claimed !== undefined && (age < 0 || age >= ADOPTION_INTERVAL_MS)) this.#look();
  }

  /** Stops taking over directories. Resolves once no takeover is in progress. */
  async retire(): Promise<void> {
    this.#alarm.stop();
    await this.#keeping?.catch(() => undefined);
    // A claim in progress starts a takeover when it succeeds.
    await this.#slot?.catch(() => undefined);
    await this.#adopting;
  }

  /** Releases the slot. From now on, any process may take over what is left in its directories. */
  async release(): Promise<void> {
    for (const slot of [...this.#former, await this.#slot?.catch(() => undefined)]) {
      if (slot === undefined) continue;
      await this.#site.fs.removeDirectory(slot.directory).catch(() => undefined);
      await slot.release();
    }
  }

  async #keep(): Promise<void> {
    const { root } = this.#site;
    const slot = this.#claimed;
    // A journal that closes must not take a lock again that it has just released.
    if (slot === undefined || this.#alarm.isStopped) return;
    try {
      if (await slot.keep())
        this.#site.observer?.failed(
          new StorageError(`somebody removed a lock in ${root}: it is taken again`),
        );
    } catch (cause) {
      this.#give(slot);
      throw storageError(`cannot take a lock in ${root} again that somebody removed`, cause);
    }
  }

  #give(slot: Slot): void {
    this.#former.push(slot);
    this.#slot = undefined;
    this.#claimed = undefined;
  }

  async #adopt(slot: Slot): Promise<void> {
    if (this.#alarm.isStopped) return;
    const { root, clock } = this.#site;
    this.#lookedAt = clock.now();
    try {
      const { adopted, failures, own, hasCompany } = await slot.adopt();
      for (const [directory, cause] of failures) {
        // Its owner may have changed since, but not its origin.
        const name = extname(directory) || directory;
        if (!this.#told.has(name))
          this.#site.observer?.failed(storageError(`cannot take over ${directory}`, cause));
        this.#told.add(name);
      }
      const isComplete = await this.#onLook(adopted, own, () => slot.makeAnother());
      this.#watch(hasCompany || failures.size > 0 || !isComplete ? ADOPTION_INTERVAL_MS : ALONE_INTERVAL_MS);
    } catch (cause) {
      this.#site.observer?.failed(storageError(`cannot look for orphans in ${root}`, cause));
      this.#watch();
    }
  }

  /** Looks again after a while, or earlier: other processes are alive here and may die, or something failed. */
  #watch(delayMs = ADOPTION_INTERVAL_MS): void {
    if (this.#alarm.isSet && this.#delayMs <= delayMs) return;
    this.#alarm.cancel();
    this.#delayMs = delayMs;
    this.#alarm.set(delayMs);
  }

  #look(): void {
    const slot = this.#claimed;
    // A claim starts with a look.
    if (slot === undefined) return void this.open().catch(() => undefined);
    this.#lookedAt = this.#site.clock.now();
    this.#adopting = this.#adopting.then(async () => {
      await this.keep().catch((error) => this.#site.observer?.failed(error));
      if (this.#claimed === slot) await this.#adopt(slot);
      else this.#watch();
    });
  }
}
