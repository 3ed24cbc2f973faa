import type { FileSystem } from './file-system.ts';

/** Makes names in a directory survive a power cut. Some file systems cannot; they do it by themselves or not at all. */
export async function syncDirectory(fs: FileSystem, path: string): Promise<void> {
  const directory = await fs.promises.open(path, 'r');
  try {
    await directory.sync().catch(() => undefined);
  } finally {
    await directory.close();
  }
}

/** Removes a directory if nothing is in it. */
export async function removeEmptyDirectory(fs: FileSystem, path: string): Promise<void> {
  await fs.promises.rmdir(path).catch(() => undefined);
}
