import { randomBytes } from 'node:crypto';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { StorageError } from '../../errors/storage-error.ts';
import { syncDirectory } from './directory.ts';
import { errorCode, type FileSystem } from './file-system.ts';

const DIRECTORY = /^([0-9a-f]{16})\.([0-9a-f]{16})$/;
const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
/** A socket's path must fit into 108 bytes on Linux and 104 on macOS. */
const MAX_SOCKET_PATH_BYTES = 100;
/** What connecting to a socket says where nobody listens any more, now or ever again. */
const DEAD = new Set(['ECONNREFUSED', 'ENOENT']);

/**
 * One process's share of a journal directory. A directory is named `<owner>.<origin>`, and an owner lives as long as
 * its Unix socket `<owner>.lock` takes connections: the kernel ends that with the process, whatever ends the process, and
 * at no other time. A name is never used by a second owner, so nobody who is dead comes back, and taking over a dead
 * owner's directory is one rename, in which exactly one process succeeds.
 */
export class Slot {
  readonly #fs: FileSystem;
  readonly #root: string;
  readonly #owner: string;
  readonly #server: Server;
  /** Keeps the root open where the socket's path has to go through it. */
  readonly #rootDescriptor: number | undefined;

  private constructor(
    fs: FileSystem,
    root: string,
    owner: string,
    server: Server,
    descriptor: number | undefined,
  ) {
    this.#fs = fs;
    this.#root = root;
    this.#owner = owner;
    this.#server = server;
    this.#rootDescriptor = descriptor;
  }

  /** Takes a new slot. */
  static async claim(root: string, fs: FileSystem): Promise<Slot> {
    await fs.promises.mkdir(root, { recursive: true, mode: DIRECTORY_MODE });
    const descriptor = socketPathFits(root) ? undefined : fs.openSync(root, 'r');
    const owner = randomBytes(8).toString('hex');
    try {
      const server = await listen(socketPath(root, descriptor, owner));
      const slot = new Slot(fs, root, owner, server, descriptor);
      await fs.promises.chmod(join(root, `${owner}.lock`), FILE_MODE);
      // Only now: a directory whose owner does not listen is anybody's.
      await fs.promises.mkdir(slot.directory, { mode: DIRECTORY_MODE });
      await syncDirectory(fs, root);
      return slot;
    } catch (cause) {
      if (descriptor !== undefined) fs.closeSync(descriptor);
      throw cause;
    }
  }

  /**
   * For a process that ends before it could claim a slot: calls back with a new directory, and then leaves that to
   * whoever comes next.
   */
  static leaveSync(root: string, fs: FileSystem, write: (directory: string) => void): void {
    const owner = randomBytes(8).toString('hex');
    const unfinished = join(root, `unfinished-${owner}`);
    fs.mkdirSync(unfinished, { recursive: true, mode: DIRECTORY_MODE });
    write(unfinished);
    fs.renameSync(unfinished, join(root, `${owner}.${owner}`));
  }

  /** The slot's own directory. */
  get directory(): string {
    return join(this.#root, `${this.#owner}.${this.#owner}`);
  }

  /** Takes over what dead owners left. Each directory goes to exactly one process. Returns those that went to this one. */
  async adopt(): Promise<string[]> {
    const adopted: string[] = [];
    const owners = new Map<string, boolean>();
    for (const entry of await this.#fs.promises.readdir(this.#root, { withFileTypes: true })) {
      const [, owner, origin] = DIRECTORY.exec(entry.name) ?? [];
      if (owner === undefined || owner === this.#owner || !entry.isDirectory()) continue;
      const alive = owners.get(owner) ?? (await this.#isAlive(owner));
      owners.set(owner, alive);
      if (alive) continue;
      const directory = join(this.#root, `${this.#owner}.${origin}`);
      if (await this.#rename(join(this.#root, entry.name), directory)) adopted.push(directory);
      await this.#fs.promises.rm(join(this.#root, `${owner}.lock`), { force: true });
    }
    return adopted;
  }

  /** Gives the slot back. What is left in its directories is anybody's from now on. */
  async release(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
    if (this.#rootDescriptor !== undefined) this.#fs.closeSync(this.#rootDescriptor);
  }

  async #rename(from: string, to: string): Promise<boolean> {
    try {
      await this.#fs.promises.rename(from, to);
      return true;
    } catch {
      // Another process was faster; or this one cannot, and another may.
      return false;
    }
  }

  /** Any doubt counts as alive: an orphan that is found later costs nothing, two owners of one slot cost duplicates. */
  #isAlive(owner: string): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(socketPath(this.#root, this.#rootDescriptor, owner));
      socket.once('connect', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', (error) => resolve(!DEAD.has(errorCode(error) ?? '')));
    });
  }
}

function listen(path: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      reject(new StorageError(`cannot take a slot of the journal directory: ${cause.message}`, { cause }));
    });
    // Exclusive, or a cluster worker would listen in its primary process.
    server.listen({ path, exclusive: true }, () => resolve(server));
    // Whether or not the process has anything else to do is not the lock's affair.
    server.unref();
  });
}

function socketPathFits(root: string): boolean {
  const longestName = '/0123456789abcdef.lock';
  return Buffer.byteLength(root) + longestName.length <= MAX_SOCKET_PATH_BYTES;
}

/** On Linux a long path is cut short by way of the open directory. */
function socketPath(root: string, descriptor: number | undefined, owner: string): string {
  const directory = descriptor === undefined ? root : `/proc/self/fd/${descriptor}`;
  return join(directory, `${owner}.lock`);
}
