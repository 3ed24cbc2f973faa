/** What is in a journal on files, for tools. Only reads: takes no lock, takes over nothing, creates, changes and repairs nothing. */

import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { readBaseUrl } from '@sluice/protocol/toolbox';
import { StorageError, storageError } from '../../base/errors/storage-error.ts';
import type { AccountNames } from '../../keep/account.ts';
import { FileNote } from '../../keep/file/disk/file-note.ts';
import { errorCode, unlessMissing } from '../../keep/file/disk/file-system.ts';
import { nodeFileSystem } from '../../keep/file/disk/node-file-system.ts';
import { SEGMENT_SUFFIX } from '../../keep/file/format/segment-header.ts';
import { replacedBy } from '../../keep/file/segments/merge.ts';
import { SLOT_DIRECTORY } from '../../keep/file/slots/slot.ts';
import { systemLocks } from '../../keep/file/slots/system-locks.ts';
import { type DeadLetter, readLetter } from '../../parts/dead-letters/dead-letter.ts';
import { defaultRoot, pathOf } from '../../platform/process/journal-path.ts';
import { type SegmentReport, StoredSegment, type VerifiedSegment } from './stored-segment.ts';

export type { SegmentReport, VerifiedSegment } from './stored-segment.ts';

/** The parts of a journal directory: events to be sent, dead letters, and events that are held until their user is known. */
const PARTS = { events: '', deadLetters: 'dead-letters', held: 'unidentified' } as const;

/** A directory of segments, and whose it is. */
export interface SlotReport {
  readonly directory: string;
  /** Names the process that it belongs to. */
  readonly owner: string;
  /** Whether that process is alive. If not, the next one that opens the journal takes the directory over. */
  readonly isAlive: boolean;
  readonly segments: readonly SegmentReport[];
}

type Slot = Omit<SlotReport, 'segments'>;

/** What is in a journal directory. */
export interface JournalReport extends Readonly<Record<keyof typeof PARTS, readonly SlotReport[]>> {
  readonly directory: string;
  /** Damaged segments that were set aside. */
  readonly setAside: { readonly count: number; readonly bytes: number };
  /** How many processes in a row ended before they saw an answer, and until when the next one waits. Undefined if none did. */
  readonly unanswered: { readonly processes: number; readonly until: number } | undefined;
}

/**
 * Reports what is in a journal directory. Reads the start and the end of each segment. Its processes may go on meanwhile.
 * @throws Rejects with a StorageError if there is no such directory, or if it cannot be read.
 * @example const { events } = await inspectJournal('/data/sluice');
 */
export async function inspectJournal(directory: string): Promise<JournalReport> {
  const root = await rootOf(directory);
  try {
    const note = await new FileNote(join(root, 'unanswered')).read();
    const [times = 0, until = 0] = note?.split(' ').map(Number) ?? [];
    const setAside = { count: 0, bytes: 0 };
    for (const { name } of await listOrNothing(join(root, 'damaged'))) {
      setAside.count += 1;
      setAside.bytes += await nodeFileSystem.sizeOf(join(root, 'damaged', name));
    }
    return {
      directory: root,
      events: await reportSlots(join(root, PARTS.events)),
      deadLetters: await reportSlots(join(root, PARTS.deadLetters)),
      held: await reportSlots(join(root, PARTS.held)),
      setAside,
      unanswered: times > 0 ? { processes: times, until } : undefined,
    };
  } catch (cause) {
    throw unreadable(root, cause);
  }
}

/**
 * Reads every byte of every segment, and yields what it finds in each.
 * @throws Rejects with a StorageError if there is no such directory, or if it cannot be read.
 * @example for await (const { path, damage } of verifyJournal('/data/sluice')) console.log(path, damage);
 */
export function verifyJournal(directory: string): AsyncGenerator<VerifiedSegment, void, undefined> {
  return readEach(directory, Object.values(PARTS), (segment) => segment.verify());
}

/**
 * The texts of the events in a journal directory, as they were or will be sent, and whether they are released. Released events are
 * there until all others of their file are released, too.
 * @throws Rejects with a StorageError if there is no such directory, or if it cannot be read.
 * @example for await (const { text } of storedEvents('/data/sluice')) console.log(JSON.parse(text).event);
 */
export async function* storedEvents(
  directory: string,
): AsyncGenerator<{ readonly text: string; readonly isReleased: boolean }, void, undefined> {
  for await (const texts of readEach(directory, [PARTS.events], (segment) => segment.texts()))
    for (const { text, isReleased } of texts) yield { text: new TextDecoder().decode(text), isReleased };
}

/**
 * The dead letters in a journal directory, each with whether the process is alive that keeps it. Only that process can replay or
 * delete it then.
 * @throws Rejects with a StorageError if there is no such directory, or if it cannot be read.
 * @example for await (const { letter } of storedDeadLetters('/data/sluice')) console.log(letter.status, letter.event);
 */
export async function* storedDeadLetters(
  directory: string,
): AsyncGenerator<{ readonly letter: DeadLetter; readonly isAlive: boolean }, void, undefined> {
  for await (const texts of readEach(directory, [PARTS.deadLetters], (segment) => segment.texts())) {
    for (const { text, isAlive, isReleased } of texts) {
      const read = isReleased ? undefined : readLetter(new TextDecoder().decode(text));
      if (read !== undefined) yield { letter: read.letter, isAlive };
    }
  }
}

/**
 * The directory of the journal of an account: that of `createTracker` with these options.
 * @example journalDirectoryOf({ baseUrl: 'http://127.0.0.1:4100', correlationKey: 'email' });
 */
export function journalDirectoryOf(options: AccountNames): string {
  return pathOf({ ...options, baseUrl: readBaseUrl('baseUrl', options.baseUrl) });
}

/**
 * The directories of the journals of this user whose options name no directory, those of relays too.
 * @example for (const directory of await defaultJournals()) console.log(await inspectJournal(directory));
 */
export async function defaultJournals(): Promise<string[]> {
  const journals: string[] = [];
  for (const { name, kind } of await listOrNothing(defaultRoot())) {
    const directory = join(defaultRoot(), name);
    if (kind !== 'directory') continue;
    // What may not be read is shown as it is: to read it then says why.
    const inside = new Set((await listOrNothing(directory).catch(() => [])).map((entry) => entry.name));
    // A relay has it beside its journal, which is missing if it keeps events elsewhere.
    if (!inside.has('window.key')) journals.push(directory);
    else if (inside.has('journal')) journals.push(join(directory, 'journal'));
  }
  return journals;
}

/** Yields what is found in each segment of these parts. What fails becomes a StorageError that names the directory. */
async function* readEach<Found>(
  directory: string,
  parts: readonly string[],
  read: (segment: StoredSegment) => Promise<Found | undefined>,
): AsyncGenerator<Found, void, undefined> {
  const root = await rootOf(directory);
  try {
    for (const part of parts) {
      for (const slot of await findSlots(join(root, part))) {
        for (const segment of await findSegments(slot)) {
          const found = await read(segment);
          if (found !== undefined) yield found;
        }
      }
    }
  } catch (cause) {
    throw unreadable(root, cause);
  }
}

async function reportSlots(root: string): Promise<SlotReport[]> {
  const slots: SlotReport[] = [];
  for (const slot of await findSlots(root)) {
    const segments: SegmentReport[] = [];
    for (const segment of await findSegments(slot)) {
      const report = await segment.report();
      if (report !== undefined) segments.push(report);
    }
    slots.push({ ...slot, segments });
  }
  return slots;
}

/** The slots in a directory; none if there is no such directory. */
async function findSlots(root: string): Promise<Slot[]> {
  const alive = new Map<string, boolean>();
  const slots: Slot[] = [];
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
async function findSegments({ directory, isAlive }: Slot): Promise<StoredSegment[]> {
  const entries = await listOrNothing(directory);
  const names = entries.flatMap(({ name, kind }) => (kind === 'file' ? [name] : [])).sort();
  const replaced = new Set(replacedBy(names));
  return names
    .filter((name) => name.endsWith(SEGMENT_SUFFIX) && !replaced.has(name))
    .map((name) => new StoredSegment(directory, basename(name, SEGMENT_SUFFIX), isAlive));
}

/** The entries of a directory. None if it is gone: another process took it over meanwhile. */
function listOrNothing(path: string): ReturnType<typeof nodeFileSystem.list> {
  return unlessMissing(nodeFileSystem.list(path), []);
}

async function rootOf(directory: string): Promise<string> {
  const root = resolve(directory);
  const status = await stat(root).catch((cause) => {
    throw unreadable(root, cause);
  });
  if (!status.isDirectory()) throw new StorageError(`${root} is no directory: give that of a journal`);
  return root;
}

function unreadable(root: string, cause: unknown): StorageError {
  const codes = [cause, Reflect.get(Object(cause), 'cause')].map(errorCode);
  if (codes[0] === 'ENOENT') return new StorageError(`there is no directory ${root}: correct the path`);
  if (!codes.includes('EACCES')) return storageError(`cannot read the journal in ${root}`, cause);
  const advice = 'run it as the user that owns it';
  return new StorageError(`this user may not read the journal in ${root}: ${advice}`, { cause });
}
