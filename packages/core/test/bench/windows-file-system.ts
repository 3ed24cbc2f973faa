import { sep } from 'node:path';
import type { FileSystem, OpenFile, SyncFile } from '../../src/keep/file/disk/file-system.ts';
import { nodeFileSystem } from '../../src/keep/file/disk/node-file-system.ts';

/**
 * This machine's disk with the rules of Windows, and stricter: what is open, in whatever process, is neither removed nor renamed,
 * nor is a directory above it. A directory cannot be synced. Not more than that: it was never compared with a real Windows.
 */
export class WindowsFileSystem implements FileSystem {
  readonly #open = new Map<object, string>();
  readonly list = nodeFileSystem.list;
  readonly sizeOf = nodeFileSystem.sizeOf;
  readonly makeDirectory = nodeFileSystem.makeDirectory;
  readonly makeDirectorySync = nodeFileSystem.makeDirectorySync;
  readonly volume = nodeFileSystem.volume;

  /** All processes were killed: nothing is open any more. */
  killAll(): void {
    this.#open.clear();
  }

  async create(path: string): Promise<OpenFile> {
    return this.#watch(path, await nodeFileSystem.create(path));
  }

  async openToAppend(path: string): Promise<OpenFile> {
    return this.#watch(path, await nodeFileSystem.openToAppend(path));
  }

  async openToRead(path: string): Promise<OpenFile> {
    return this.#watch(path, await nodeFileSystem.openToRead(path));
  }

  createSync(path: string): SyncFile {
    const file = nodeFileSystem.createSync(path);
    this.#open.set(file, path);
    const { writeSync, syncSync } = file;
    const closeSync = () => {
      this.#open.delete(file);
      file.closeSync();
    };
    return { writeSync, syncSync, closeSync };
  }

  async rename(from: string, to: string): Promise<void> {
    this.#refuseOpen(from, 'EPERM');
    this.#refuseOpen(to, 'EPERM');
    await nodeFileSystem.rename(from, to);
  }

  renameSync(from: string, to: string): void {
    this.#refuseOpen(from, 'EPERM');
    nodeFileSystem.renameSync(from, to);
  }

  async remove(path: string): Promise<void> {
    this.#refuseOpen(path, 'EBUSY');
    await nodeFileSystem.remove(path);
  }

  async removeDirectory(path: string): Promise<void> {
    this.#refuseOpen(path, 'EBUSY');
    await nodeFileSystem.removeDirectory(path);
  }

  async syncDirectory(): Promise<void> {}

  #watch(path: string, file: OpenFile): OpenFile {
    this.#open.set(file, path);
    return {
      write: (bytes, position) => file.write(bytes, position),
      writeSync: (bytes, position) => file.writeSync(bytes, position),
      read: (target, position) => file.read(target, position),
      sync: () => file.sync(),
      syncSync: () => file.syncSync(),
      truncate: (size) => file.truncate(size),
      stat: () => file.stat(),
      close: () => file.close().finally(() => this.#open.delete(file)),
    };
  }

  #refuseOpen(path: string, code: string): void {
    for (const open of this.#open.values()) {
      if (open !== path && !open.startsWith(path + sep)) continue;
      throw Object.assign(new Error(`${code}: ${open} is open`), { code });
    }
  }
}
