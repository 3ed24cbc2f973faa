import type { FileSystem, OpenFile, SyncFile } from '@sluice/core/file-journal';
import type { Random } from '../random.ts';
import type { DiskCalls } from './disk-calls.ts';
import type { CallKind, DiskWeather } from './disk-weather.ts';
import { MountedFile } from './mounted-file.ts';
import type { VirtualDisk } from './virtual-disk.ts';

const TOTAL_BYTES = 2 ** 30;

export interface MountedDiskOptions {
  readonly disk: VirtualDisk;
  readonly calls: DiskCalls;
  readonly weather: DiskWeather;
  readonly random: Random;
  /** The names in a directory that are no files. */
  readonly locksIn: (path: string) => readonly string[];
}

/** The disk, as one process uses it. */
export class MountedDisk implements FileSystem {
  readonly #options: MountedDiskOptions;

  constructor(options: MountedDiskOptions) {
    this.#options = options;
  }

  create(path: string): Promise<OpenFile> {
    return this.#call('change', `create ${path}`, (disk) => this.#file(disk.create(path), path));
  }

  openToAppend(path: string): Promise<OpenFile> {
    return this.#call('change', `append to ${path}`, (disk) => {
      const { directory, name } = disk.place(path);
      const file = directory.get(name) === undefined ? disk.create(path) : disk.open(path);
      return this.#file(file, path, true);
    });
  }

  openToRead(path: string): Promise<OpenFile> {
    return this.#call('open', `open ${path}`, (disk) => this.#file(disk.open(path), path));
  }

  createSync(path: string): SyncFile {
    const { calls, disk } = this.#options;
    const perform = () => this.#file(disk.create(path), path);
    return calls.makeNow({ kind: 'change', what: `create ${path}`, perform });
  }

  makeDirectory(path: string): Promise<string | undefined> {
    return this.#call('change', `mkdir ${path}`, (disk) => disk.makeDirectory(path));
  }

  makeDirectorySync(path: string): void {
    const { calls, disk } = this.#options;
    calls.makeNow({ kind: 'change', what: `mkdir ${path}`, perform: () => disk.makeDirectory(path) });
  }

  list(path: string): ReturnType<FileSystem['list']> {
    return this.#call('open', `list ${path}`, (disk) => {
      const nodes: Awaited<ReturnType<FileSystem['list']>>[number][] = [];
      for (const [name, { kind }] of disk.directory(path).entries) nodes.push({ name, kind });
      for (const name of this.#options.locksIn(path)) nodes.push({ name, kind: 'other' });
      return nodes;
    });
  }

  sizeOf(path: string): Promise<number> {
    return this.#call('open', `look at ${path}`, (disk) => disk.sizeOf(path));
  }

  rename(from: string, to: string): Promise<void> {
    return this.#call('change', `rename ${from} to ${to}`, (disk) => disk.rename(from, to));
  }

  renameSync(from: string, to: string): void {
    const { calls, disk } = this.#options;
    calls.makeNow({ kind: 'change', what: `rename ${from} to ${to}`, perform: () => disk.rename(from, to) });
  }

  remove(path: string): Promise<void> {
    return this.#call('change', `remove ${path}`, (disk) => disk.remove(path));
  }

  removeDirectory(path: string): Promise<void> {
    return this.#call('change', `rmdir ${path}`, (disk) => disk.removeDirectory(path));
  }

  async syncDirectory(path: string): Promise<void> {
    const { calls, disk } = this.#options;
    let end: (() => void) | undefined;
    try {
      end = disk.directory(path).beginSync();
    } catch {
      // The call below reports the error.
    }
    await calls.make({
      kind: 'sync',
      what: `sync ${path}`,
      perform: () => (end === undefined ? void disk.directory(path) : end()),
    });
  }

  volume(path: string): ReturnType<FileSystem['volume']> {
    return this.#call('look', `look at the volume of ${path}`, (disk) => {
      disk.directory(path);
      const totalBytes = Math.min(disk.capacity, TOTAL_BYTES);
      return { freeBytes: Math.min(disk.freeBytes, TOTAL_BYTES), totalBytes, network: undefined };
    });
  }

  #call<Result>(kind: CallKind, what: string, perform: (disk: VirtualDisk) => Result): Promise<Result> {
    const { calls, disk } = this.#options;
    return calls.make({ kind, what, perform: () => perform(disk) });
  }

  #file(file: ReturnType<VirtualDisk['open']>, path: string, appends = false): MountedFile {
    return new MountedFile(this.#options, file, path, appends);
  }
}
