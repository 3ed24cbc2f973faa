import { basename, dirname, join } from 'node:path';
import { errorCode, type FileSystem } from '../disk/file-system.ts';
import { writeAll } from '../disk/write-all.ts';
import { ACKNOWLEDGEMENTS_SUFFIX, MERGING_SUFFIX, SEGMENT_SUFFIX } from '../format/suffixes.ts';
import { filesIn } from '../segments/merge.ts';

/** So much is copied at once. */
const PART_BYTES = 256 * 1024;

/**
 * Moves the directory of a slot. If several processes do so at the same time, each segment goes to one of them. Rejects with ENOENT
 * if another one was faster.
 */
export async function moveDirectory(fs: FileSystem, from: string, to: string): Promise<void> {
  await ifNotPossible(fs.rename(from, to), async () => {
    await fs.makeDirectory(to);
    // A directory in the image of a container cannot be renamed, but its files can.
    await ifNotPossible(moveFiles(fs, from, to), async () => {
      // Another disk. Whoever gives the directory its own name there may copy it.
      const held = join(dirname(from), basename(to));
      if (held !== from) await fs.rename(from, held);
      await copyFiles(fs, held, to);
      await fs.removeDirectory(held).catch(() => undefined);
    });
    await fs.removeDirectory(from).catch(() => undefined);
  });
}

/** Calls `otherwise` if the system cannot rename from one place to the other. */
async function ifNotPossible(renaming: Promise<void>, otherwise: () => Promise<void>): Promise<void> {
  try {
    await renaming;
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error;
    await otherwise();
  }
}

/** Moves the segments of a directory, and what was delivered of each: who has a segment gets what is beside it. */
async function moveFiles(fs: FileSystem, from: string, to: string): Promise<void> {
  const move = (name: string) =>
    fs.rename(join(from, name), join(to, name)).then(
      () => true,
      (error) => {
        // Another process was faster, or there is none.
        if (errorCode(error) !== 'ENOENT') throw error;
        return false;
      },
    );
  for (const { name } of await fs.list(from)) {
    if (!name.endsWith(SEGMENT_SUFFIX)) continue;
    if (await move(name)) await move(basename(name, SEGMENT_SUFFIX) + ACKNOWLEDGEMENTS_SUFFIX);
  }
}

/**
 * Copies the segments of a directory, and what was delivered of each, and deletes them there. If the process ends meanwhile, the next
 * one goes on: a segment that is in both places was copied completely.
 */
async function copyFiles(fs: FileSystem, from: string, to: string): Promise<void> {
  const copied = new Set(await filesIn(to, fs));
  for (const name of await filesIn(from, fs)) {
    if (!name.endsWith(SEGMENT_SUFFIX)) continue;
    const acknowledgements = basename(name, SEGMENT_SUFFIX) + ACKNOWLEDGEMENTS_SUFFIX;
    if (!copied.has(name)) {
      // First what was delivered: without its segment it means nothing.
      await copyFile(fs, join(from, acknowledgements), join(to, acknowledgements)).catch((error) => {
        if (errorCode(error) !== 'ENOENT') throw error;
      });
      await copyFile(fs, join(from, name), join(to, name));
      await fs.syncDirectory(to);
    }
    try {
      await fs.remove(join(from, name));
    } catch (error) {
      // If both stayed, the next process would deliver the events again.
      await fs.remove(join(to, name));
      throw error;
    }
    await fs.remove(join(from, acknowledgements));
  }
}

async function copyFile(fs: FileSystem, from: string, to: string): Promise<void> {
  const source = await fs.openToRead(from);
  try {
    const unfinished = to + MERGING_SUFFIX;
    await fs.remove(unfinished);
    const copy = await fs.create(unfinished);
    try {
      const part = Buffer.allocUnsafe(PART_BYTES);
      for (let at = 0, count = PART_BYTES; count === PART_BYTES; at += count) {
        count = await source.read(part, at);
        await writeAll(copy, part.subarray(0, count), at);
      }
      await copy.sync();
    } finally {
      await copy.close();
    }
    await fs.rename(unfinished, to);
  } finally {
    await source.close();
  }
}
