import { StorageError } from '../../../base/errors/storage-error.ts';
import type { FileSystem, OpenFile, SyncFile } from './file-system.ts';

/** Writes all bytes, in as many calls as the disk needs. */
export async function writeAll(file: OpenFile, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const count = await file.write(bytes.subarray(written), position + written);
    if (count === 0) throw new StorageError(`the disk took ${written} of ${bytes.length} bytes`);
    written += count;
  }
}

/** Like `writeAll`, but synchronous. */
export function writeAllSync(file: Pick<SyncFile, 'writeSync'>, bytes: Buffer, position: number): void {
  for (let written = 0; written < bytes.length; ) {
    const count = file.writeSync(bytes.subarray(written), position + written);
    if (count === 0) throw new StorageError(`the disk took ${written} of ${bytes.length} bytes`);
    written += count;
  }
}

/** Creates a file with these bytes. Throws if the path exists. */
export function writeFileSync(
  fs: Pick<FileSystem, 'createSync'>,
  path: string,
  bytes: Buffer,
  isSynced: boolean,
): void {
  const file = fs.createSync(path);
  try {
    writeAllSync(file, bytes, 0);
    if (isSynced) file.syncSync();
  } finally {
    file.closeSync();
  }
}
