import type { Random } from '../random.ts';
import { DiskError } from './disk-error.ts';
import { type Fate, StoredDirectory, type StoredNode } from './stored-directory.ts';
import { StoredFile } from './stored-file.ts';

/** The disk of a machine. Each call takes effect at once: other classes simulate time, failures and processes. */
export class VirtualDisk {
  readonly #root = new StoredDirectory();
  /** Bytes that all files together may take. */
  capacity: number = Number.POSITIVE_INFINITY;

  get freeBytes(): number {
    return Math.max(0, this.capacity - sizeOf(this.#root));
  }

  /** The paths of all files. */
  *files(): Iterable<string> {
    yield* filesIn('', this.#root);
  }

  create(path: string): StoredFile {
    const { directory, name } = this.place(path);
    if (directory.get(name) !== undefined) throw new DiskError('EEXIST', `open '${path}'`);
    const file = new StoredFile();
    directory.put(name, file);
    return file;
  }

  open(path: string): StoredFile {
    const node = this.#node(path);
    if (node.kind !== 'file') throw new DiskError('EISDIR', `open '${path}'`);
    return node;
  }

  /** Size of a file, in bytes; 0 if it is missing. */
  sizeOf(path: string): number {
    try {
      return this.open(path).size;
    } catch (error) {
      if (error instanceof DiskError && error.code === 'ENOENT') return 0;
      throw error;
    }
  }

  /** Makes a directory and its missing parents. Returns the highest directory that was made. */
  makeDirectory(path: string): string | undefined {
    let directory = this.#root;
    let place = '';
    let highest: string | undefined;
    for (const name of namesIn(path)) {
      place += `/${name}`;
      let next = directory.get(name);
      if (next === undefined) {
        next = new StoredDirectory();
        directory.put(name, next);
        highest ??= place;
      }
      if (next.kind !== 'directory') throw new DiskError('ENOTDIR', `mkdir '${path}'`);
      directory = next;
    }
    return highest;
  }

  directory(path: string): StoredDirectory {
    const node = this.#node(path);
    if (node.kind !== 'directory') throw new DiskError('ENOTDIR', `scandir '${path}'`);
    return node;
  }

  rename(from: string, to: string): void {
    const node = this.#node(from);
    const [source, target] = [this.place(from), this.place(to)];
    const replaced = target.directory.get(target.name);
    if (replaced?.kind === 'directory' && replaced.entries.size > 0) {
      throw new DiskError('ENOTEMPTY', `rename '${from}' -> '${to}'`);
    }
    if (replaced !== undefined && replaced.kind !== node.kind) {
      throw new DiskError(node.kind === 'file' ? 'EISDIR' : 'ENOTDIR', `rename '${from}' -> '${to}'`);
    }
    const fate: Fate = { survives: undefined };
    source.directory.remove(source.name, fate);
    target.directory.put(target.name, node, fate);
  }

  remove(path: string): void {
    const { directory, name } = this.place(path);
    if (directory.get(name)?.kind === 'directory') throw new DiskError('EISDIR', `rm '${path}'`);
    directory.remove(name);
  }

  removeDirectory(path: string): void {
    if (this.directory(path).entries.size > 0) throw new DiskError('ENOTEMPTY', `rmdir '${path}'`);
    const { directory, name } = this.place(path);
    directory.remove(name);
  }

  syncAll(): void {
    this.#root.syncAll();
  }

  cutPower(random: Random): void {
    this.#root.cutPower(random);
  }

  /** The directory of a path, and the name in it. The name need not exist. */
  place(path: string): { directory: StoredDirectory; name: string } {
    const cut = path.lastIndexOf('/');
    return { directory: this.directory(path.slice(0, cut)), name: path.slice(cut + 1) };
  }

  #node(path: string): StoredNode {
    let node: StoredNode = this.#root;
    for (const name of namesIn(path)) {
      const next: StoredNode | undefined = node.kind === 'directory' ? node.get(name) : undefined;
      if (next === undefined) throw new DiskError('ENOENT', `open '${path}'`);
      node = next;
    }
    return node;
  }
}

function namesIn(path: string): string[] {
  return path.split('/').filter((name) => name !== '');
}

function sizeOf(node: StoredNode): number {
  if (node.kind === 'file') return node.size;
  let size = 0;
  for (const entry of node.entries.values()) size += sizeOf(entry);
  return size;
}

function* filesIn(path: string, node: StoredNode): Iterable<string> {
  if (node.kind === 'file') yield path;
  else for (const [name, entry] of node.entries) yield* filesIn(`${path}/${name}`, entry);
}
