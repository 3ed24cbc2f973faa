import type { FileSystem, OpenFile, SyncFile } from '../../src/keep/file/disk/file-system.ts';
import { nodeFileSystem } from '../../src/keep/file/disk/node-file-system.ts';

/** The operations of a journal on a disk. */
export type Operation = keyof FileSystem | keyof OpenFile;

/** A recorded operation. */
export interface DiskCall {
  readonly operation: Operation;
  readonly path: string;
  /** How many bytes to read or write. */
  readonly bytes: number;
}

interface Rule {
  readonly operation: Operation;
  readonly code: string;
  readonly path: RegExp;
  /** How many calls pass first, and how many fail then. */
  passes: number;
  fails: number;
}

/** This machine's disk. It fails or hangs as a test says, and records all calls. */
export class FailingFileSystem implements FileSystem {
  readonly calls: DiskCall[] = [];
  /** File syncs that are running, and the most that ever ran at once. */
  syncs = 0;
  mostSyncs = 0;
  /** Most bytes that one write stores. */
  longestWrite: number = Number.POSITIVE_INFINITY;
  /** Number of calls that hang now. */
  hanging = 0;
  /** Replaces these values of the real volume. */
  volumeIs: Partial<Awaited<ReturnType<FileSystem['volume']>>> = {};
  #rules: Rule[] = [];
  /** How many calls pass before all fail. */
  #passes = Number.POSITIVE_INFINITY;
  readonly #gates = new Map<Operation, { readonly passed: Promise<void>; readonly open: () => void }>();

  /** From now on, calls of this operation fail with the code: the first one, or as `after` and `times` say. */
  fail(
    operation: Operation,
    code: string,
    { after = 0, times = 1, path = /./ }: { after?: number; times?: number; path?: RegExp } = {},
  ): void {
    this.#rules.push({ operation, code, path, passes: after, fails: times });
  }

  /** After this many more calls all fail, as if the process had been killed there. */
  dieAfter(calls: number): void {
    this.#passes = calls;
  }

  /** From now on nothing fails or hangs. */
  heal(): void {
    this.#rules = [];
    this.#passes = Number.POSITIVE_INFINITY;
    for (const { open } of this.#gates.values()) open();
    this.#gates.clear();
  }

  /** From now on, calls of this operation do not begin until the returned function is called. */
  hang(operation: Operation): () => void {
    let open = (): void => {};
    const passed = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.#gates.set(operation, { passed, open });
    return () => {
      this.#gates.delete(operation);
      open();
    };
  }

  /** How many calls of this operation were made. */
  count(operation: Operation, path = /./): number {
    return this.calls.filter((call) => call.operation === operation && path.test(call.path)).length;
  }

  create(path: string): Promise<OpenFile> {
    return this.#open('create', path, () => nodeFileSystem.create(path));
  }

  openToAppend(path: string): Promise<OpenFile> {
    return this.#open('openToAppend', path, () => nodeFileSystem.openToAppend(path));
  }

  openToRead(path: string): Promise<OpenFile> {
    return this.#open('openToRead', path, () => nodeFileSystem.openToRead(path));
  }

  createSync(path: string): SyncFile {
    this.#enter('createSync', path);
    const file = nodeFileSystem.createSync(path);
    return {
      writeSync: (bytes, position) => this.#writeSync(path, file, bytes, position),
      syncSync: () => {
        this.#enter('syncSync', path);
        file.syncSync();
      },
      closeSync: () => file.closeSync(),
    };
  }

  makeDirectory(path: string): Promise<unknown> {
    return this.#call('makeDirectory', path, () => nodeFileSystem.makeDirectory(path));
  }

  makeDirectorySync(path: string): void {
    this.#enter('makeDirectorySync', path);
    nodeFileSystem.makeDirectorySync(path);
  }

  list(path: string, mayBeForeign?: boolean): ReturnType<FileSystem['list']> {
    return this.#call('list', path, () => nodeFileSystem.list(path, mayBeForeign));
  }

  sizeOf(path: string): Promise<number> {
    return this.#call('sizeOf', path, () => nodeFileSystem.sizeOf(path));
  }

  rename(from: string, to: string): Promise<void> {
    return this.#call('rename', from, () => nodeFileSystem.rename(from, to));
  }

  renameSync(from: string, to: string): void {
    this.#enter('renameSync', from);
    nodeFileSystem.renameSync(from, to);
  }

  remove(path: string): Promise<void> {
    return this.#call('remove', path, () => nodeFileSystem.remove(path));
  }

  removeDirectory(path: string): Promise<void> {
    return this.#call('removeDirectory', path, () => nodeFileSystem.removeDirectory(path));
  }

  syncDirectory(path: string): Promise<void> {
    return this.#call('syncDirectory', path, () => nodeFileSystem.syncDirectory(path));
  }

  volume(path: string): ReturnType<FileSystem['volume']> {
    return this.#call('volume', path, async () => ({
      ...(await nodeFileSystem.volume(path)),
      ...this.volumeIs,
    }));
  }

  async #open(operation: Operation, path: string, open: () => Promise<OpenFile>): Promise<OpenFile> {
    const file = await this.#call(operation, path, open);
    return {
      write: (bytes, position) => {
        const taken = bytes.subarray(0, this.longestWrite);
        return this.#call('write', path, () => file.write(taken, position), bytes.length);
      },
      writeSync: (bytes, position) => this.#writeSync(path, file, bytes, position),
      read: (target, position) => this.#call('read', path, () => file.read(target, position), target.length),
      sync: () => this.#sync(path, file),
      syncSync: () => {
        this.#enter('syncSync', path);
        file.syncSync();
      },
      truncate: (size) => this.#call('truncate', path, () => file.truncate(size)),
      stat: () => this.#call('stat', path, () => file.stat()),
      // The file is closed, even if this call reports an error.
      close: () => file.close().then(() => this.#call('close', path, async () => {})),
    };
  }

  async #sync(path: string, file: OpenFile): Promise<void> {
    this.syncs += 1;
    this.mostSyncs = Math.max(this.mostSyncs, this.syncs);
    try {
      await this.#call('sync', path, () => file.sync());
    } finally {
      this.syncs -= 1;
    }
  }

  #writeSync(path: string, file: Pick<SyncFile, 'writeSync'>, bytes: Uint8Array, position: number): number {
    this.#enter('writeSync', path, bytes.length);
    return file.writeSync(bytes.subarray(0, this.longestWrite), position);
  }

  async #call<Result>(
    operation: Operation,
    path: string,
    act: () => Promise<Result>,
    bytes = 0,
  ): Promise<Result> {
    const gate = this.#gates.get(operation);
    if (gate !== undefined) this.hanging += 1;
    await gate?.passed;
    if (gate !== undefined) this.hanging -= 1;
    this.#enter(operation, path, bytes);
    return act();
  }

  #enter(operation: Operation, path: string, bytes = 0): void {
    this.calls.push({ operation, path, bytes });
    this.#passes -= 1;
    if (this.#passes < 0) throw new Error(`killed before ${operation}`);
    for (const rule of this.#rules) {
      if (rule.operation !== operation || !rule.path.test(path)) continue;
      if (rule.passes > 0) rule.passes -= 1;
      else if (rule.fails > 0) {
        rule.fails -= 1;
        throw Object.assign(new Error(`${rule.code}: the scripted failure of ${operation}`), {
          code: rule.code,
        });
      }
    }
  }
}
