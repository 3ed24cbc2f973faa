import type { Clock } from '@sluice/protocol/toolbox';
import { platform } from '#platform';
import { GroupCommit } from './keep/group-commit.ts';
import type { Journal } from './keep/journal.ts';
import { UNLIMITED } from './keep/room.ts';
import type { Settings } from './options/settings.ts';
import type { Limits } from './pace/limits.ts';
import type { Reporter } from './tell/reporter.ts';
import { Waiting } from './wait/waiting.ts';

/** What the tracker passes to the stages that keep events until they are sent. */
export interface KeepingOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: () => number;
  readonly journal: Journal;
  readonly limits: Limits;
  readonly reporter: Reporter;
  /** Whether nothing may be sent now. */
  readonly isShut: () => boolean;
  /** Resolves once the journal knows what previous processes left in it. */
  readonly opened: () => Promise<void>;
  /** There may be something to send. */
  readonly wake: () => void;
  /** Events were written, or may be sent from memory. */
  readonly onChange: () => void;
  readonly onFailed: (error: unknown) => void;
  /** The journal works again. */
  readonly onRecovered: () => void;
}

/** Creates all that waits, and what writes it to the journal. */
export function createWaiting(options: KeepingOptions): Waiting {
  const { settings, clock, random, journal, limits, reporter } = options;
  const { isShut, opened, wake, onChange, onFailed, onRecovered } = options;
  const { batch, buffer, storage } = settings;
  const { createAbortController, text } = platform;
  const isStrict = settings.ordering === 'strict';
  const intervalMs = settings.commitIntervalMs ?? platform.commitIntervalMs;
  const bounds = settings.parts.bounds?.({
    journal,
    clock,
    reporter,
    storage,
    waiting: () => waiting,
    opened,
    onFailed,
  });
  const room = bounds?.room ?? UNLIMITED;
  const waiting: Waiting = new Waiting({
    journal,
    text,
    clock,
    buffer,
    batch,
    sizeLimit: limits.size,
    isStrict,
    createExpiry: bounds?.createExpiry,
    createAbortController,
    createCommit: (unwritten) =>
      new GroupCommit({
        unwritten,
        journal,
        room,
        clock,
        random,
        intervalMs,
        isStrict,
        onChange() {
          waiting.onWritten();
          onChange();
        },
        onFailed,
        onRecovered,
        reporter,
      }),
    isShut,
    onDue: wake,
    reporter,
  });
  return waiting;
}
