import { platform } from '#platform';
import type { Clock } from './base/clock.ts';
import { accountOf } from './keep/account.ts';
import type { Journal } from './keep/journal.ts';
import { MemoryJournal } from './keep/memory-journal.ts';
import { MemoryNote, type Note } from './keep/note.ts';
import type { Settings } from './options/settings.ts';
import type { JournalPlace } from './platform/platform.ts';

/** A place beside the events. */
type Part = 'dead-letters' | 'unidentified';

/** The journal that the settings ask for. */
export function createJournal(settings: Settings, clock: Clock, part?: Part): Journal {
  const { journal, buffer } = settings;
  if (typeof journal === 'object' && part === undefined) return journal;
  const place = placeOf(settings, clock, part);
  return (
    (journal === undefined ? platform.createJournal(place) : undefined) ??
    new MemoryJournal(part === undefined ? buffer.maxBytes : place.maxBytes, place.maxBytes)
  );
}

/** Whether such a journal may hold something. False spares opening it, which makes its place. */
export async function mayHold(settings: Settings, clock: Clock, part: Part): Promise<boolean> {
  return settings.journal !== undefined || platform.exists(placeOf(settings, clock, part));
}

/** The note that goes with what is held. */
export function createNote(settings: Settings, clock: Clock): Note {
  const isStored = settings.journal === undefined;
  return (isStored && platform.createNote(placeOf(settings, clock, 'unidentified'))) || new MemoryNote();
}

function placeOf(settings: Settings, clock: Clock, part: Part | undefined): JournalPlace {
  const { baseUrl, apiKey, correlationKey, journalDirectory, fsync, storage, deadLetters, unidentified } =
    settings;
  return {
    account: accountOf(baseUrl, correlationKey, apiKey),
    directory: journalDirectory,
    fsync,
    maxBytes: { '': storage, 'dead-letters': deadLetters, unidentified }[part ?? ''].maxBytes,
    clock,
    ...(part && { part }),
  };
}
