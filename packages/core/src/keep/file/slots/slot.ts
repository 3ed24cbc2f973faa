import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { tried } from '@sluice/protocol/toolbox';
import { StorageError } from '../../../base/errors/storage-error.ts';
import { errorCode, type FileSystem, refuseLink, unlessMissing } from '../disk/file-system.ts';
import { ACKNOWLEDGEMENTS_SUFFIX, SEGMENT_SUFFIX } from '../format/segment-header.ts';
import type { Site } from '../site.ts';
import type { Lock } from './system-locks.ts';

/** The name of a slot's directory: owner and origin. */
export const SLOT_DIRECTORY: RegExp = /^([0-9a-f]{16})\.([0-9a-f]{16})$/;
const LOCK = /^([0-9a-f]{16})\.lock$/;
/** A lock without a directory may belong to a process that is just starting. No start takes this long. */
const LITTER_AGE_MS = 60 * 60_000;

/** Error codes for a directory that belongs to another user, or that the container does not show. */
const NOT_OURS = new Set(['EACCES', 'EPERM', 'ENOENT']);

type SlotSite = Pick<Site, 'root' | 'isPart' | 'fs' | 'locks' | 'ours'>;

/**
 * One process's share of a journal directory. Its directories are named `<owner>.<origin>` and belong to the owner while it
 * holds the lock of its name. A name is never used by a second owner, so a dead owner never comes back. A dead owner's
 * directory is taken over by one rename, in which exactly one process succeeds.
 */
export class Slot {
  readonly #site: SlotSite;
  /** Called when another process checks whether this one is alive. */
  readonly #onVisit: () => void;
  readonly #owner: string;
  #lock: Lock;
  readonly diskBytes: number;

  private constructor(site: SlotSite, onVisit: () => void, owner: string, lock: Lock, diskBytes: number) {
    this.#site = site;
    this.#onVisit = onVisit;
    this.#owner = owner;
    this.#lock = lock;
    this.diskBytes = diskBytes;
    site.ours.add(owner);
  }

  static async claim(site: SlotSite, onVisit: () => void): Promise<Slot> {
    const { root, fs, locks } = site;
    await makeRoot(site);
    const { network, totalBytes } = await fs.volume(root);
    if (network !== undefined) {
      // Locks do not work across machines: a live process on another machine would look dead.
      throw new StorageError(
        `${root} is on ${network}: the journal needs a directory on a disk of this machine`,
      );
    }
    const owner = randomBytes(8).toString('hex');
    const lock = await locks.hold(root, owner, onVisit);
    try {
      const slot = new Slot(site, onVisit, owner, lock, totalBytes);
      // After the lock: any process may take a directory whose owner holds no lock.
      await slot.#make(slot.directory);
      return slot;
    } catch (cause) {
      await lock.release().catch(() => undefined);
      throw cause;
    }
  }

  /**
   * For a process that ends before it could claim a slot. Calls `write` with a new directory, then leaves the directory to
   * the next process. Returns its final path.
   */
  static leaveSync(
    { root, fs, ours }: Pick<Site, 'root' | 'fs' | 'ours'>,
    write: (directory: string) => void,
  ): string {
    const owner = randomBytes(8).toString('hex');
    const unfinished = join(root, `unfinished-${owner}`);
    const directory = join(root, `${owner}.${owner}`);
    try {
      fs.makeDirectorySync(root);
      fs.makeDirectorySync(unfinished);
      write(unfinished);
      fs.renameSync(unfinished, directory);
    } catch (error) {
      // Nobody looks at it again. On a full disk, each process would leave one.
      tried(() => fs.removeSync?.(unfinished));
      throw error;
    }
    // If this process survives, it holds these events itself and must not take them over.
    ours.add(owner);
    return directory;
  }

  get directory(): string {
    return join(this.#site.root, `${this.#owner}.${this.#owner}`);
  }

  /**
   * Takes over the directories of dead owners. Each directory goes to exactly one process. Returns:
   * - `adopted`: those that this process got. `failures`: why it could not get others, by path.
   * - `own`: directories that this process had before.
   * - `hasCompany`: whether other owners are alive.
   */
  async adopt(): Promise<{
    readonly adopted: readonly string[];
    readonly failures: ReadonlyMap<string, unknown>;
    readonly own: readonly string[];
    readonly hasCompany: boolean;
  }> {
    const { root, fs, locks, ours } = this.#site;
    const failures = new Map<string, unknown>();
    const adopted: string[] = [];
    const own: string[] = [];
    const alive = new Map<string, boolean>([...ours].map((owner) => [owner, true]));
    const isAlive = async (owner: string) => {
      const known = alive.get(owner) ?? (await locks.isHeld(root, owner));
      alive.set(owner, known);
      return known;
    };
    const entries = await fs.list(root);
    for (const { name, kind } of entries) {
      const [, owner = '', origin = ''] = SLOT_DIRECTORY.exec(name) ?? [];
      if (kind !== 'directory' || origin === '') continue;
      const from = join(root, name);
      if (ours.has(owner)) own.push(from);
      else if (!(await isAlive(owner))) {
        const to = join(root, `${this.#owner}.${origin}`);
        try {
          await moveDirectory(fs, from, to);
          adopted.push(to);
        } catch (error) {
          // `ENOENT`: another process was faster.
          if (errorCode(error) !== 'ENOENT') failures.set(from, error);
        }
        await locks.discard(root, owner, 0);
      }
    }
    for (const { name } of entries) {
      const [, owner] = LOCK.exec(name) ?? [];
      if (owner === undefined || alive.has(owner)) continue;
      if (!(await isAlive(owner))) await locks.discard(root, owner, LITTER_AGE_MS);
    }
    if (adopted.length > 0) await fs.syncDirectory(root);
    const living = [...alive.values()].filter((isAlive) => isAlive).length;
    return { adopted, failures, own, hasCompany: living > ours.size };
  }

  /** Takes its lock again if somebody removed it: others take its owner for dead. Returns whether it had to. */
  async keep(): Promise<boolean> {
    if ((await this.#lock.isInPlace?.()) ?? true) return false;
    // First: ending a lock removes the file with its name.
    await this.#lock.release();
    const { root, locks } = this.#site;
    this.#lock = await locks.hold(root, this.#owner, this.#onVisit);
    return true;
  }

  async makeAnother(): Promise<string> {
    const directory = join(this.#site.root, `${this.#owner}.${randomBytes(8).toString('hex')}`);
    await this.#make(directory);
    return directory;
  }

  /** Creates its directory again after somebody removed it. Returns false if its lock is gone as well. */
  async remake(): Promise<boolean> {
    const { root, locks } = this.#site;
    if (!(await locks.isHeld(root, this.#owner))) return false;
    await this.#make(this.directory);
    return true;
  }

  /** Releases the slot. From now on, any process may take over what is left in its directories. */
  release(): Promise<void> {
    return this.#lock.release();
  }

  async #make(directory: string): Promise<void> {
    const { root, fs } = this.#site;
    await fs.makeDirectory(directory);
    await fs.syncDirectory(root);
  }
}

/**
 * Creates the root, and syncs all directories above it: they may be new, and their names must survive a power cut too. Throws
 * if the root is a link and may not be one.
 */
async function makeRoot({ root, fs, isPart }: SlotSite): Promise<void> {
  await fs.makeDirectory(root);
  if (isPart) await refuseLink(fs, root);
  for (let path = root; dirname(path) !== path; path = dirname(path)) {
    await fs.syncDirectory(dirname(path)).catch((error) => {
      if (!NOT_OURS.has(errorCode(error) ?? '')) throw error;
    });
  }
}

/**
 * Moves the directory of a slot. If several processes do so at the same time, each segment goes to one of them. Rejects with ENOENT
 * if another one was faster.
 */
async function moveDirectory(fs: FileSystem, from: string, to: string): Promise<void> {
  try {
    await fs.rename(from, to);
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error;
    // A directory in the image of a container cannot be renamed, but its files can.
    await fs.makeDirectory(to);
    for (const { name } of await fs.list(from)) {
      if (!name.endsWith(SEGMENT_SUFFIX)) continue;
      // The process that gets a segment also gets its records of what was delivered.
      const note = basename(name, SEGMENT_SUFFIX) + ACKNOWLEDGEMENTS_SUFFIX;
      if (await moved(name)) await moved(note);
    }
    await fs.removeDirectory(from).catch(() => undefined);
  }

  /** Resolves to false if another process was faster, or there is no such file. */
  function moved(name: string): Promise<boolean> {
    const renamed = fs.rename(join(from, name), join(to, name)).then(() => true);
    return unlessMissing(renamed, false);
  }
}
