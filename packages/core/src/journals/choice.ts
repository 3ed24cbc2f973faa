import { platform } from '#platform';
import type { Clock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import type { Settings } from '../settings.ts';
import { MemoryJournal } from './memory-journal.ts';

/** The journal that the settings ask for. A `part` is a place beside the events: dead letters. */
export function createJournal(settings: Settings, clock: Clock, part?: 'dead-letters'): Journal {
  const { journal, baseUrl, apiKey, correlationKey, journalDirectory, fsync, buffer, storage } = settings;
  if (typeof journal === 'object' && part === undefined) return journal;
  const durable =
    journal === undefined
      ? platform.createJournal({
          account: [baseUrl, correlationKey, apiKey ?? ''].join('\n'),
          directory: journalDirectory,
          fsync,
          maxBytes: storage.maxBytes,
          clock,
          ...(part && { part }),
        })
      : undefined;
  return durable ?? new MemoryJournal(buffer.maxBytes);
}
