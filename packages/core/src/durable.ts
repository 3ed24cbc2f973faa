import { StorageError, storageError } from './base/errors/storage-error.ts';
import type { Journal } from './keep/journal.ts';
import type { Admission } from './parts/hold/admission.ts';
import type { Reporter } from './tell/reporter.ts';
import type { Waiting } from './wait/waiting.ts';

interface DurableOptions {
  readonly admission: Pick<Admission, 'write' | 'isOpen'>;
  readonly journal: Journal;
  readonly waiting: Waiting;
  readonly reporter: Pick<Reporter, 'lastError'>;
}

/** As `Tracker.durable`. */
export async function makeDurable(options: DurableOptions): Promise<void> {
  const { admission, journal, reporter, waiting } = options;
  // Held events come first: this may release some of them, which are written next.
  const isAdmitted = await admission.write();
  const isDone = waiting.mark();
  const isWritten = await waiting.commit.write(isDone);
  if (!(isWritten && isAdmitted && journal.survives)) {
    const failure = waiting.commit.isFailing && reporter.lastError?.message;
    const pending = admission.isOpen(false) ? 'the journal is full' : 'consent is pending';
    const why = journal.survives ? failure || pending : 'the journal is in memory';
    throw new StorageError(`what was tracked is not durable: ${why}`);
  }
  try {
    await journal.sync();
  } catch (cause) {
    throw storageError('what was tracked is not durable', cause);
  }
  // What the journal lost meanwhile is to be written again.
  if (!isDone()) await makeDurable(options);
}
