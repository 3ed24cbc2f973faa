import { chmod, type FileHandle, open, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { StorageError } from '../../../base/errors/storage-error.ts';
import { errorCode } from '../disk/file-system.ts';
import type { HeldLock, Locks } from './locks.ts';

const FILE_MODE = 0o600;
const SUFFIX = '.lock';
/** A socket's path must fit into 108 bytes on Linux and 104 on macOS. */
const MAX_SOCKET_PATH_BYTES = 100;
/** What connecting to a socket says where nobody listens any more, now or ever again. */
const DEAD = new Set(['ECONNREFUSED', 'ENOENT']);

/**
 * A lock is a Unix socket in the directory on which its holder listens. The kernel takes that away with the process,
 * whatever ends it, and at no other time: not while it is stopped, not when its number is used again, and the same in
 * every container that shares the directory.
 */
export const socketLocks: Locks = {
  async hold(directory, name, onVisit): Promise<HeldLock> {
    const through = await openWhereLong(directory, name);
    try {
      const server = await listen(socketPath(directory, name, through), onVisit);
      await chmod(join(directory, name + SUFFIX), FILE_MODE);
      return {
        async release() {
          await new Promise((resolve) => server.close(resolve));
          await through?.close();
        },
      };
    } catch (cause) {
      await through?.close();
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
      // The file system's time against the system's: the margin is to be larger than what they can differ by.
      if (minAgeMs > 0 && Date.now() - (await stat(path)).mtimeMs < minAgeMs) return;
      await rm(path, { force: true });
    } catch {
      // Litter stays where it cannot be cleared away.
    }
  },
};

function listen(path: string, onVisit: () => void): Promise<Server> {
  const server = createServer((socket) => {
    socket.destroy();
    onVisit();
  });
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

/** On Linux a path that is too long is cut short by way of the open directory. */
async function openWhereLong(directory: string, name: string): Promise<FileHandle | undefined> {
  const bytes = Buffer.byteLength(join(directory, name + SUFFIX));
  return bytes <= MAX_SOCKET_PATH_BYTES ? undefined : open(directory, 'r');
}

function socketPath(directory: string, name: string, through: FileHandle | undefined): string {
  return join(through === undefined ? directory : `/proc/self/fd/${through.fd}`, name + SUFFIX);
}
