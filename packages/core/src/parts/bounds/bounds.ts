import type { Clock } from '@sluice/protocol/toolbox';
import type { Limit } from '../../base/event-bytes.ts';
import { allOf } from '../../base/range.ts';
import type { Reporter } from '../../tell/reporter.ts';
import type { Bounds } from '../../wait/line.ts';
import { FORSAKEN } from '../../wait/places.ts';
import type { Waiting } from '../../wait/waiting.ts';
import { type BoundedJournal, Budget, type WhenFull } from './budget.ts';
import { AgeLimits } from './expiry.ts';
import { rescue } from './rescue.ts';

/** What a tracker provides for its bounds. */
interface BoundsOptions {
  readonly journal: BoundedJournal;
  readonly clock: Clock;
  readonly reporter: Pick<Reporter, 'settled'>;
  readonly settings: {
    readonly batch: Limit;
    readonly storage: {
      readonly maxBytes?: number | undefined;
      readonly minFreeBytes: number;
      readonly whenFull: WhenFull;
      readonly maxAgeMs?: number | undefined;
    };
  };
  readonly waiting: Waiting;
  /** Maximum size of the journal now, in bytes. Default: `storage.maxBytes`. */
  readonly most?: () => number;
  /** Resolves once the journal knows what previous processes left in it. */
  readonly opened: () => Promise<void>;
  /** There may be something to send, or to drop. */
  readonly onDue: () => void;
  /** Events could not be copied out of a segment that is given up. */
  readonly onFailed: (error: unknown) => void;
}

/** Creates the limits of the journal of a tracker. */
export type BoundsPart = (options: BoundsOptions) => Bounds | undefined;

/**
 * For pages. In Node a tracker has it already.
 * @example createTracker({ ...options, storage: { maxBytes }, parts: { bounds } });
 */
export const bounds = (options: BoundsOptions): Bounds & { readonly room: Budget } => {
  const { journal, clock, reporter, settings, waiting, opened, onDue, onFailed } = options;
  const { batch } = settings;
  const { maxBytes, minFreeBytes, whenFull, maxAgeMs } = settings.storage;
  const { most = () => maxBytes ?? Number.POSITIVE_INFINITY } = options;
  const room = new Budget({
    journal,
    clock,
    reporter,
    most,
    minFreeBytes,
    whenFull,
    evict: (segment) => evict(segment, waiting),
    rescue: (segment) => rescue(segment, waiting, journal, onFailed),
    ...(maxBytes !== undefined && { opened }),
  });
  const expiry =
    maxAgeMs === undefined ? undefined : new AgeLimits({ clock, waiting, batch, maxAgeMs, onDue });
  return { room, expiry };
};

/** The journal gave up a segment: what waits in it ends here; what is in requests goes on in memory. Returns how many ended. */
function evict(segment: number, waiting: Waiting): number {
  const gone = allOf(segment);
  for (const { queue } of waiting.lines)
    for (const { places } of queue.out) for (const span of places.find(gone)) places.mark(span, FORSAKEN);
  return waiting.drop(gone);
}
