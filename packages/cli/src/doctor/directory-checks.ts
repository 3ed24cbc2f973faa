import { constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { nodeFileSystem } from '@sluice/core/file-journal';
import { inspectJournal } from '@sluice/core/inspect';
import { totalsOf } from '../journal/summary.ts';
import { mayAccess } from '../may-access.ts';
import { counted, size } from '../text/amounts.ts';
import type { Finding } from './finding.ts';

/** What a journal leaves free: so much by default, and at most this part of the disk. */
const LEAST_FREE_BYTES = 64 * 1024 * 1024;
const MOST_RESERVED = 0.05;

/** Whether the journal can be used: whose it is, its mode, and what waits. */
export async function checkDirectory(directory: string): Promise<Finding> {
  const check = 'journal';
  const existing = await nearest(directory);
  const isWritable = await mayAccess(existing, constants.W_OK | constants.X_OK);
  const unwritable = {
    check,
    state: 'problem',
    found: `this user may not write to ${existing}: events would be kept in memory only`,
    advice: 'change its owner or mode, or name another directory: SLUICE_JOURNAL_DIRECTORY',
  } as const;
  if (existing !== directory)
    return isWritable
      ? { check, state: 'ok', found: `${directory} is not there yet: the first event makes it` }
      : unwritable;
  try {
    const { events } = await inspectJournal(directory);
    const { waiting, damagedBytes, foreign } = totalsOf(events);
    const found = `${directory}, ${counted(waiting, 'event')} waiting`;
    if (foreign > 0)
      return {
        check,
        state: 'warning',
        found: `${found}, ${counted(foreign, 'file')} of another version of Sluice`,
        advice: 'use that version to deliver them',
      };
    if (!isWritable) return unwritable;
    if (damagedBytes === 0) return { check, state: 'ok', found };
    return {
      check,
      state: 'warning',
      found: `${found}, damaged`,
      advice: `where: sluice verify ${directory}`,
    };
  } catch (error) {
    // The message says what to do: chown, chmod, or another directory.
    const found = error instanceof Error ? error.message : String(error);
    return { check, state: 'problem', found };
  }
}

/** Whether the disk has room, and is one of this machine. @param minFreeBytes What the settings leave free. */
export async function checkDisk(
  directory: string,
  minFreeBytes: number = LEAST_FREE_BYTES,
): Promise<Finding> {
  const check = 'disk';
  const existing = await nearest(directory);
  const { freeBytes, totalBytes, network } = await nodeFileSystem.volume(existing);
  // A file system may not say it.
  const found = Number.isFinite(freeBytes) ? `${size(freeBytes)} free` : 'of unknown size';
  if (network !== undefined)
    return {
      check,
      state: 'problem',
      found: `${existing} is on ${network}`,
      advice: 'use a disk of this machine',
    };
  const least = Math.min(minFreeBytes, totalBytes * MOST_RESERVED);
  if (freeBytes >= least) return { check, state: 'ok', found };
  const advice = `free some space: below ${size(least)} the journal drops old events, or keeps new ones in memory`;
  return { check, state: 'problem', found, advice };
}

/** The directory, or the first one above it that exists. */
async function nearest(path: string): Promise<string> {
  const isThere = await stat(path).catch(() => undefined);
  return isThere || dirname(path) === path ? path : nearest(dirname(path));
}
