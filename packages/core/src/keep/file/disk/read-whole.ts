import type { FileSystem } from './file-system.ts';

/** Reads a file; undefined if it has more bytes than `mostBytes`. Neither waits for a named pipe, nor follows a link. */
export async function readWhole(
  fs: Pick<FileSystem, 'openToRead'>,
  path: string,
  mostBytes: number,
): Promise<Buffer | undefined> {
  const file = await fs.openToRead(path);
  try {
    const { size } = await file.stat();
    if (size > mostBytes) return undefined;
    const bytes = Buffer.alloc(size);
    return bytes.subarray(0, await file.read(bytes, 0));
  } finally {
    await file.close();
  }
}
