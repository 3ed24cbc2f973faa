import { chmod, type FileHandle, lstat, open, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { StorageError } from '../../../base/errors/storage-error.ts';
import { errorCode } from '../disk/file-system.ts';
import { leadsTo } from '../disk/node-file-system.ts';

export interface Lock {
  /** Whether others still find it. False once somebody removed, moved or replaced it. Absent if nobody can. */
  isInPlace?(): Promise<boolean>;
  release(): Promise<void>;
}

/** How processes that share a directory find out which of them are alive. A simulation of all in one process has its own. */
export interface Locks {
  /**
   * Takes a lock and holds it until it is released or the process ends, for whatever reason. The name must never have been
   * used. `onVisit` is called when another process checks the lock.
   */
  hold(directory: string, name: string, onVisit: () => void): Promise<Lock>;
  /** Whether a process holds the lock. True in doubt: a late takeover costs nothing, but two owners cause duplicates. */
  isHeld(directory: string, name: string): Promise<boolean>;
  /** Deletes what a dead holder left of its lock, if it is older than `minAgeMs`. Never rejects. */
  discard(directory: string, name: string, minAgeMs: number): Promise<void>;
}

const FILE_MODE = 0o600;
const SUFFIX = '.lock';
/** A socket's path must fit into 108 bytes on Linux and 104 on macOS, with a zero at its end. */
const MAX_SOCKET_PATH_BYTES = 103;
/** Error codes of a connect to a socket on which nobody listens any more, nor ever will. */
const DEAD = new Set(['ECONNREFUSED', 'ENOENT']);

/**
 * A lock is a Unix socket in the directory. Its holder listens on it. The kernel closes the socket when the process ends, for
 * whatever reason, and never earlier: a stopped process keeps its lock, and a reused process id changes nothing. It works the
 * same in every container that shares the directory.
 */
const socketLocks: Locks = {
  async hold(directory, name, onVisit) {
    const through = await openWhereLong(directory, name);
    let server: Server | undefined;
    const release = async () => {
      if (server) await end(server);
      await through?.close();
    };
    try {
      server = await listen(socketPath(directory, name, through), onVisit);
      const path = join(directory, name + SUFFIX);
      await chmod(path, FILE_MODE);
      const own = await lstat(path);
      return { isInPlace: () => leadsTo(path, own), release };
    } catch (cause) {
      await release();
      throw cause;
    }
  },

  async isHeld(directory, name) {
    let through: FileHandle | undefined;
    try {
      through = await openWhereLong(directory, name);
    } catch {
      return true;
    }
    try {
      return await isListening(socketPath(directory, name, through));
    } finally {
      await through?.close();
    }
  },

  async discard(directory, name, minAgeMs) {
    const path = join(directory, name + SUFFIX);
    try {
      // This compares the file system's clock with the system's: `minAgeMs` must be larger than their difference.
      if (minAgeMs > 0 && Date.now() - (await stat(path)).mtimeMs < minAgeMs) return;
      await rm(path, { force: true });
    } catch {
      // If it cannot be deleted, it stays.
    }
  },
};

/** Listens on a socket or a pipe until `end()`. Calls `onVisit` for each process that connects. */
function listen(path: string, onVisit: () => void): Promise<Server> {
  const server = createServer((socket) => {
    socket.destroy();
    onVisit();
  });
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      reject(new StorageError(`cannot take a slot of the journal directory: ${cause.message}`, { cause }));
    });
    // Exclusive: otherwise the primary process of a cluster would listen instead of its worker.
    server.listen({ path, exclusive: true }, () => resolve(server));
    // The lock must not keep the process alive.
    server.unref();
  });
}

async function end(server: Server): Promise<void> {
  await new Promise((resolve) => server.close(resolve));
}

/** Whether a process listens there. True in doubt. */
function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => resolve(!DEAD.has(errorCode(error) ?? '')));
  });
}

/** Opens the directory if the path is too long: on Linux, `/proc/self/fd/<number>` is then a shorter path to it. */
async function openWhereLong(directory: string, name: string): Promise<FileHandle | undefined> {
  const extra = Buffer.byteLength(join(directory, name + SUFFIX)) - MAX_SOCKET_PATH_BYTES;
  if (extra <= 0) return undefined;
  if (process.platform !== 'linux' && process.platform !== 'android')
    throw new StorageError(
      `the path of ${directory} is ${extra} bytes too long for a lock: set journalDirectory`,
    );
  return open(directory, 'r');
}

function socketPath(directory: string, name: string, through: FileHandle | undefined): string {
  return join(through === undefined ? directory : `/proc/self/fd/${through.fd}`, name + SUFFIX);
}

/**
 * For Windows, where a socket has no path. A lock is a named pipe. It is in no directory: nobody can remove it, and nothing is
 * left of it when its holder ends.
 *
 * @param prefix What comes before the name of a lock, which is random.
 */
export function pipeLocks(prefix: string): Locks {
  return {
    async hold(_directory, name, onVisit) {
      const server = await listen(prefix + name, onVisit);
      return { release: () => end(server) };
    },
    isHeld: (_directory, name) => isListening(prefix + name),
    discard: async () => {},
  };
}

export const systemLocks: Locks =
  process.platform === 'win32' ? pipeLocks('\\\\.\\pipe\\sluice-') : socketLocks;
