import type { Clock, Timer } from '../../../base/clock.ts';
import { storageError } from '../../../base/errors/storage-error.ts';
import type { FileSystem } from '../disk/file-system.ts';
import type { Locks } from './locks.ts';
import { Slot } from './slot.ts';

/** An orphan is to be taken over within 30 s. */
const ADOPTION_INTERVAL_MS = 20_000;

export interface TenancyOptions {
  readonly root: string;
  readonly mayBeLink: boolean;
  readonly fs: FileSystem;
  readonly locks: Locks;
  readonly clock: Clock;
  /**
   * A directory that a dead owner left is this journal's now. Never rejects. False where it is to be told again later.
   */
  readonly onOrphan: (directory: string) => Promise<boolean>;
  readonly onFailed: (error: Error) => void;
}

/** This journal's place among those that share a journal directory: its slot, and what it takes over from the dead. */
export class Tenancy {
  readonly #options: TenancyOptions;
  #slot: Promise<Slot> | undefined;
  /** Slots of which somebody removed the directory and the lock: what was taken over under their names is still in use. */
  readonly #former: Slot[] = [];
  readonly #ours = new Set<string>();
  /** Directories that were taken over and could not be read as a whole. */
  readonly #unfinished: string[] = [];
  #claimed: Slot | undefined;
  #adopting: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;
  #lookedAt = 0;
  #closed = false;

  constructor(options: TenancyOptions) {
    this.#options = options;
  }

  /** The slot's own directory, once it is claimed: for the last moment, in which nothing can be awaited. */
  get directory(): string | undefined {
    return this.#claimed?.directory;
  }

  /** The size of the disk, in bytes, once it is known. */
  get diskBytes(): number {
    return this.#claimed?.diskBytes ?? Number.POSITIVE_INFINITY;
  }

  /** Calls back with the slot's directory, or with one that is left to whoever comes next. Returns it. */
  writeSync(write: (directory: string) => void): string {
    const { root, fs } = this.#options;
    if (this.directory === undefined) return Slot.leaveSync({ root, fs, ours: this.#ours }, write);
    write(this.directory);
    return this.directory;
  }

  /** Takes a slot where there is none yet, and begins to take over what the dead left. Returns the slot's directory. */
  async claim(): Promise<string> {
    const { root, fs, locks, mayBeLink } = this.#options;
    this.#slot ??= Slot.claim({
      mayBeLink,
      root,
      fs,
      locks,
      ours: this.#ours,
      onVisit: () => this.#watch(),
    }).then(
      (slot) => {
        this.#claimed = slot;
        this.#adopting = this.#adopt(slot);
        return slot;
      },
      (error) => {
        // Tried again by whoever asks next, and after a while.
        this.#slot = undefined;
        this.#watch();
        throw error;
      },
    );
    return (await this.#slot).directory;
  }

  /** Resolves once what was found of the dead is taken over. */
  async settled(): Promise<void> {
    await this.#adopting;
  }

  /** Somebody removed the slot's directory: it is made again, or the next claim takes another. */
  async remake(): Promise<void> {
    const slot = this.#claimed;
    if (slot === undefined || (await slot.remake())) return;
    this.#former.push(slot);
    this.#slot = undefined;
    this.#claimed = undefined;
  }

  /**
   * To be called now and then by who is busy anyway. What a process leaves that lived too briefly to be seen is found
   * by this, without a timer.
   */
  lookAround(): void {
    const age = this.#options.clock.now() - this.#lookedAt;
    if (this.#claimed !== undefined && this.#timer === undefined && (age < 0 || age >= ADOPTION_INTERVAL_MS))
      this.#look();
  }

  /** Takes over no more. Resolves once nothing is being taken over. */
  async retire(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    // A slot that is claimed just now begins with that.
    await this.#slot?.catch(() => undefined);
    await this.#adopting;
  }

  /** Gives the slot back. What is left in its directories is anybody's from now on. */
  async release(): Promise<void> {
    for (const slot of [...this.#former, await this.#slot?.catch(() => undefined)]) {
      if (slot === undefined) continue;
      await this.#options.fs.removeDirectory(slot.directory).catch(() => undefined);
      await slot.release();
    }
  }

  async #adopt(slot: Slot): Promise<void> {
    if (this.#closed) return;
    const { root, clock, onOrphan, onFailed } = this.#options;
    this.#lookedAt = clock.now();
    try {
      const { adopted, isToLookAgain } = await slot.adopt();
      for (const directory of [...this.#unfinished.splice(0), ...adopted]) {
        if (!(await onOrphan(directory))) this.#unfinished.push(directory);
      }
      if (isToLookAgain || this.#unfinished.length > 0) this.#watch();
    } catch (cause) {
      onFailed(storageError(`cannot look for orphans in ${root}`, cause));
      this.#watch();
    }
  }

  /** Looks again after a while: others live here, and may die. One that is alone needs no timer. */
  #watch(): void {
    if (this.#closed) return;
    this.#timer ??= this.#options.clock.setTimeout(() => {
      this.#timer = undefined;
      this.#look();
    }, ADOPTION_INTERVAL_MS);
  }

  #look(): void {
    const slot = this.#claimed;
    // Claiming begins with a look.
    if (slot === undefined) return void this.claim().catch(() => undefined);
    this.#lookedAt = this.#options.clock.now();
    this.#adopting = this.#adopting.then(() => this.#adopt(slot));
  }
}
