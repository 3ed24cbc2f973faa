import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { errorCode, unlessMissing } from '../../keep/file/disk/file-system.ts';
import { nodeFileSystem } from '../../keep/file/disk/node-file-system.ts';
import { SEGMENT_SUFFIX } from '../../keep/file/format/segment-header.ts';
import { replacedBy } from '../../keep/file/segments/merge.ts';
import { SLOT_DIRECTORY } from '../../keep/file/slots/slot.ts';
import { systemLocks } from '../../keep/file/slots/system-locks.ts';

const LOOKS = 3;
const LOOK_AGAIN_MS = 50;

/** A directory of segments, and whose it is. */
export interface SlotPlace {
  readonly directory: string;
  /** Names the process that it belongs to. */
  readonly owner: string;
  /** Whether that process is alive. If not, the next one that opens the journal takes the directory over. */
  readonly isAlive: boolean;
}

/** Where a segment is. */
export interface SegmentPlace extends SlotPlace {
  /** The name of its file. */
  readonly name: string;
}

/** The slots in a directory; none if there is no such directory. */
export async function findSlots(root: string): Promise<SlotPlace[]> {
  const alive = new Map<string, boolean>();
  const slots: SlotPlace[] = [];
  for (const { name, kind } of await listOrNothing(root)) {
    const [, owner] = SLOT_DIRECTORY.exec(name) ?? [];
    if (kind !== 'directory' || owner === undefined) continue;
    const isAlive = alive.get(owner) ?? (await systemLocks.isHeld(root, owner));
    alive.set(owner, isAlive);
    slots.push({ directory: join(root, name), owner, isAlive });
  }
  return slots;
}

/** The segments of a slot, in the order in which they were written. Those that a merged segment replaces do not count. */
export async function findSegments(slot: SlotPlace): Promise<SegmentPlace[]> {
  const entries = await listOrNothing(slot.directory);
  const names = entries.flatMap(({ name, kind }) => (kind === 'file' ? [name] : [])).sort();
  const replaced = new Set(replacedBy(names));
  return names
    .filter((name) => name.endsWith(SEGMENT_SUFFIX) && !replaced.has(name))
    .map((name) => ({ ...slot, name }));
}

/** The entries of a directory. None if it is gone: another process took it over meanwhile. */
export function listOrNothing(path: string): ReturnType<typeof nodeFileSystem.list> {
  return unlessMissing(nodeFileSystem.list(path), []);
}

/**
 * Looks at a segment until `look` resolves to a result: it may ask to be called again, unless it is the last look. A living owner may
 * be in the middle of a write: its last frame is not complete yet. Resolves to undefined if the file is gone: its owner deletes what
 * is delivered.
 */
export async function lookAt<Result>(
  { isAlive }: SegmentPlace,
  look: (isLast: boolean) => Promise<Result | undefined>,
): Promise<Result | undefined> {
  for (let looks = 1; ; looks += 1) {
    const isLast = !isAlive || looks === LOOKS;
    try {
      const result = await look(isLast);
      if (result !== undefined || isLast) return result;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      return undefined;
    }
    await setTimeout(LOOK_AGAIN_MS);
  }
}
