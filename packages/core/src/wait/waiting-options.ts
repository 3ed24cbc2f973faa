import type { Clock } from '@sluice/protocol/toolbox';
import type { Limit } from '../base/event-bytes.ts';
import type { Range } from '../base/range.ts';
import type { BudgetOptions } from '../keep/budget.ts';
import type { Journal } from '../keep/journal.ts';
import type { Limits } from '../pace/limits.ts';
import type { Epochs } from '../tell/epochs.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Memory, TextWriter } from './contents.ts';

/** What `Waiting` needs of its tracker. */
export interface WaitingOptions {
  readonly settings: {
    /** Bounds of the ring buffer. */
    readonly buffer: Limit;
    /** Bounds of a batch, and how long an event may wait for others, in milliseconds. */
    readonly batch: Limit & { readonly maxWaitMs: number };
    /** `strict`: no event may overtake another. */
    readonly ordering: string;
    /** Whether no event may overtake another of its customer. */
    readonly isOrdered: boolean;
    /** How long an event may wait in memory for others to be written with, in milliseconds. */
    readonly commitIntervalMs: number;
    /** Limits of what waits. */
    readonly storage: BudgetOptions['storage'] & { readonly maxAgeMs?: number | undefined };
  };
  readonly journal: Journal;
  readonly text: TextWriter;
  readonly clock: Clock;
  readonly random: () => number;
  readonly limits: Pick<Limits, 'bytes' | 'events'>;
  readonly reporter: Pick<Reporter, 'settled' | 'storageFailed'>;
  /** Resolves once the journal knows what previous processes left in it. */
  readonly opened: () => Promise<void>;
  /** Whether nothing may be sent now. */
  readonly isShut: () => boolean | undefined;
  /** There may be something to send. */
  readonly onDue: () => void;
  /** The journal failed. Events are sent from memory meanwhile. */
  readonly onFailed: (error: unknown) => void;
  /** The journal works again. */
  readonly onRecovered: () => void;
}

/** What all lines share. */
export interface LineOptions extends Pick<WaitingOptions, 'clock' | 'journal' | 'limits' | 'onDue' | 'text'> {
  readonly settings: Pick<WaitingOptions['settings'], 'batch' | 'buffer' | 'isOrdered' | 'ordering'>;
  readonly reporter: Pick<Reporter, 'storageFailed'>;
  readonly memory: Memory;
  readonly epochs: Epochs;
  /** Whether events need not wait for others now. */
  readonly isUrgent: () => boolean;
  /** Whether events may be sent that no journal has, because it fails. */
  readonly sendsUnwritten: () => boolean;
  /** Stored events that could not be read back intact end. */
  readonly damaged: (range: Range) => Promise<void>;
}
