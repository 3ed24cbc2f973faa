import {
  close,
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncate,
  lstatSync,
  mkdirSync,
  open,
  openSync,
  promises,
  read,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  write,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { StorageError } from '../../../base/errors/storage-error.ts';
import { errorCode, type FileSystem, type OpenFile, type SyncFile, unlessMissing } from './file-system.ts';

// The one at import, as in `systemClock`: tests may replace the global one later.
const { setImmediate } = globalThis;

const NO_FILE = -1;
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;
/** The right of the group, and of everybody else, to write. */
const OTHERS_WRITE = 0o022;
/** Missing on Windows. */
const NO_FOLLOW: number = constants.O_NOFOLLOW ?? 0;
/** Without it, opening a named pipe waits until another process opens its other end. */
const NO_WAIT: number = constants.O_NONBLOCK ?? 0;
const READ = constants.O_RDONLY | NO_FOLLOW | NO_WAIT;
const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | NO_FOLLOW | NO_WAIT;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;

/** Error codes of file systems that cannot sync a directory. They keep its names without a sync, or not at all. */
const CANNOT_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EISDIR', 'EBADF']);

/** Type numbers from `statfs(2)` of file systems that several machines share. */
const NETWORKS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
]);

/** The disk of this machine. */
export const nodeFileSystem: FileSystem = {
  create: async (path) => new NodeFile(await openFile(path, CREATE), path),
  openToAppend: (path) => openExisting(path, APPEND),
  openToRead: (path) => openExisting(path, READ),

  createSync(path): SyncFile {
    const file = openSync(path, CREATE, FILE_MODE);
    return {
      writeSync: (bytes, position) => writeSync(file, bytes, 0, bytes.length, position),
      syncSync: () => fdatasyncSync(file),
      closeSync: () => closeSync(file),
    };
  },

  async makeDirectory(path) {
    await makeDirectory(path);
    refuseForeign(path, await promises.stat(path));
  },
  makeDirectorySync(path) {
    makeDirectorySync(path);
    refuseForeign(path, statSync(path));
  },

  async list(path, mayBeForeign = false) {
    if (!mayBeForeign) refuseForeign(path, await promises.stat(path));
    const entries = await promises.readdir(path, { withFileTypes: true });
    return entries.map((entry) => ({
      name: entry.name,
      kind: entry.isFile() ? 'file' : entry.isDirectory() ? 'directory' : 'other',
    }));
  },

  sizeOf: async (path) => (await unlessMissing(promises.lstat(path), undefined))?.size ?? 0,

  rename: promises.rename,
  renameSync,
  remove: (path) => unlessMissing(promises.unlink(path), undefined),
  removeDirectory: promises.rmdir,
  removeSync: (path) => rmSync(path, { recursive: true, force: true }),

  async syncDirectory(path) {
    try {
      const directory = await promises.open(path, 'r');
      await directory.sync().finally(() => directory.close());
    } catch (error) {
      if (!CANNOT_SYNC.has(errorCode(error) ?? '')) throw error;
    }
  },

  // Waking the thread pool costs more than a small write.
  endOfTurn: () =>
    new Promise((resolve) => {
      setImmediate(resolve);
    }),

  async volume(path) {
    const { bavail, blocks, bsize, type } = await promises.statfs(path);
    warnOfOverlay(path, type);
    // Such a file system does not say how large it is, or has no limit: a tmpfs of `size=0`, ramfs, some of FUSE.
    const isSizeKnown = blocks > 0;
    return {
      freeBytes: isSizeKnown ? bavail * bsize : Number.POSITIVE_INFINITY,
      totalBytes: isSizeKnown ? blocks * bsize : Number.POSITIVE_INFINITY,
      // `type` is a number of 32 bits, which some platforms return as negative.
      network: NETWORKS.get(type >>> 0),
    };
  },
};

/** Creates a directory and its missing parents. One by one: with `recursive`, Node never ends for some paths, as in `/proc`. */
export async function makeDirectory(path: string, mayLackParent = true): Promise<void> {
  try {
    await promises.mkdir(path, DIRECTORY_MODE);
  } catch (error) {
    if (isMade(error, path, mayLackParent)) return;
    await makeDirectory(dirname(path));
    await makeDirectory(path, false);
  }
}

function makeDirectorySync(path: string, mayLackParent = true): void {
  try {
    mkdirSync(path, DIRECTORY_MODE);
  } catch (error) {
    if (isMade(error, path, mayLackParent)) return;
    makeDirectorySync(dirname(path));
    makeDirectorySync(path, false);
  }
}

/** Whether the directory is there already. False if its parent is missing, and may be; throws any other error. */
function isMade(error: unknown, path: string, mayLackParent: boolean): boolean {
  const code = errorCode(error);
  if (code === 'ENOENT' && mayLackParent && dirname(path) !== path) return false;
  if (code !== 'EEXIST') throw error;
  return true;
}

async function openExisting(path: string, flags: number): Promise<OpenFile> {
  const file = await openFile(path, flags);
  try {
    const status = fstatSync(file);
    if (!status.isFile())
      throw Object.assign(new Error(`EINVAL: not a file, open '${path}'`), { code: 'EINVAL' });
    refuseForeign(path, status);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return new NodeFile(file, path);
}

function openFile(path: string, flags: number): Promise<number> {
  return called((done) => open(path, flags, FILE_MODE, done));
}

/** Uses the callback API: `fs.promises` costs several times as much, and there are many small calls. */
class NodeFile implements OpenFile {
  #file: number;
  readonly #path: string;

  constructor(file: number, path: string) {
    this.#file = file;
    this.#path = path;
  }

  async write(bytes: Uint8Array, position: number): Promise<number> {
    // A write leaves no hole: the kernel knows the size without a look at the disk.
    if (fstatSync(this.#file).size < position)
      throw new StorageError(`somebody cut ${this.#path}, or copied a shorter file over it`);
    return called((done) => write(this.#file, bytes, 0, bytes.length, position, done));
  }

  writeSync(bytes: Uint8Array, position: number): number {
    return writeSync(this.#file, bytes, 0, bytes.length, position);
  }

  async read(target: Uint8Array, position: number): Promise<number> {
    let total = 0;
    while (total < target.length) {
      const left = target.length - total;
      const count = await called<number>((done) =>
        read(this.#file, target, total, left, position + total, done),
      );
      if (count === 0) break;
      total += count;
    }
    return total;
  }

  sync(): Promise<void> {
    return called((done) => fdatasync(this.#file, done));
  }

  syncSync(): void {
    fdatasyncSync(this.#file);
  }

  truncate(size: number): Promise<void> {
    return called((done) => ftruncate(this.#file, size, done));
  }

  async stat(): ReturnType<OpenFile['stat']> {
    // Synchronous: the kernel knows the status of an open file without looking it up.
    const own = fstatSync(this.#file);
    return { size: own.size, isInPlace: await leadsTo(this.#path, own) };
  }

  isInPlaceSync(): boolean {
    try {
      return isSame(lstatSync(this.#path), fstatSync(this.#file));
    } catch (error) {
      return !GONE.has(errorCode(error) ?? '');
    }
  }

  close(): Promise<void> {
    const file = this.#file;
    // The system may give the number to another file. With `NO_FILE`, later calls on this object fail instead.
    this.#file = NO_FILE;
    return called((done) => close(file, done));
  }
}

function called<Result>(call: (done: (error: Error | null, result?: Result) => void) => void) {
  return new Promise<Result>((resolve, reject) => {
    call((error, result) => (error ? reject(error) : resolve(result as Result)));
  });
}

/**
 * As sshd does: throws a StorageError if another user owns a file or directory, or may write to it. Events that somebody else puts
 * there would be sent with our key. Does nothing on systems without such users.
 */
function refuseForeign(path: string, { uid, mode }: Pick<Stats, 'uid' | 'mode'>): void {
  const user = process.geteuid?.();
  if (user === undefined) return;
  if (uid !== user)
    throw new StorageError(
      `${path} belongs to user ${uid}, and this process runs as user ${user}: run it as that user, use another directory, or chown ${user} it`,
    );
  if ((mode & OTHERS_WRITE) !== 0)
    throw new StorageError(`other users may write to ${path}: use another directory, or chmod go-w it`);
}

/** Error codes of a path that leads nowhere. */
const GONE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

type Identity = Pick<Stats, 'dev' | 'ino'>;

/** Whether a path leads to this very file. False once somebody removed, moved or replaced it, or a directory above it. */
export async function leadsTo(path: string, own: Identity, platform?: NodeJS.Platform): Promise<boolean> {
  const found = await promises.lstat(path).catch((error) => {
    if (!GONE.has(errorCode(error) ?? '')) throw error;
  });
  return isSame(found ?? undefined, own, platform);
}

/** @param platform Node 22 on Windows gives a volume one number by path, and another one by handle: there, `dev` does not count. */
function isSame(found: Identity | undefined, own: Identity, platform = process.platform): boolean {
  return found?.ino === own.ino && (found.dev === own.dev || platform === 'win32');
}

/** The type of overlayfs in `statfs(2)`: the writable layer of a container. */
const OVERLAY = 0x794c7630;

let isWarned = false;

/** Warns once of a directory in the writable layer of a container, which ends with the container. @param type From `statfs(2)`. */
export function warnOfOverlay(path: string, type: number): void {
  if (isWarned || type !== OVERLAY) return;
  isWarned = true;
  const message = `${path} is in the container's own layer: what waits there is lost with the container. Mount a volume, and give its path as journalDirectory`;
  process.emitWarning(message, { type: 'SluiceWarning', code: 'SLUICE_OVERLAY' });
}
