import type { Clock } from '@sluice/protocol/toolbox';
import type { SizeLimit } from '../pace/limits.ts';
import type { Suspect } from '../tell/stats.ts';
import type { Parcel } from '../wait/parcel.ts';
import type { Waiting } from '../wait/waiting.ts';
import { Trial } from './trial.ts';

/** Maximum number and size, in bytes, of parcels that wait for their next try. Beyond that, no new ones are sent. */
const MOST_PARCELS = 1_000;
const MOST_BYTES = 32 * 1024 * 1024;
/** Maximum size of all events that wait alone, in bytes. Others go back to the journal, and are found again later. */
const MOST_SUSPECT_BYTES = 8 * 1024 * 1024;

/** What `stats()` shows: so many events, and so many bytes of each. */
const MOST_SHOWN = 1_000;
const SHOWN_BYTES = 200;

interface TrialsOptions {
  readonly clock: Clock;
  readonly waiting: Pick<Waiting, 'cut' | 'divide' | 'denied' | 'end' | 'expiresInMs' | 'putBack'>;
  /** How many events the service takes in a request. */
  readonly limit: SizeLimit;
  /** Whether no event may overtake another. Then each waits for those before it. */
  readonly isStrict: boolean;
  /** Whether no event may overtake another of its customer. */
  readonly isOrdered: boolean;
}

/** Parcels that failed. Each waits for a time of its own, and then goes again. */
export interface Trials {
  /** Number of parcels that do not wait alone. */
  readonly count: number;
  /** What `stats()` says of them. */
  readonly shown: Suspect[];
  /** Whether another parcel may fail. */
  readonly hasRoom: boolean;
  /** Number of all events. */
  readonly events: number;
  /** When the next one may be sent, or is too old; Infinity if there is none. */
  readonly nextAt: number;
  /** The trial of a parcel that waited. If some of its events were cut off meanwhile, nothing is known of the others. */
  of(parcel: Parcel): Trial;
  /** It was sent before, and went back: it waits here for its next try. */
  add(trial: Trial): void;
  /** It goes again after `waitMs` milliseconds. @param aliveMs How long it waits at most once something is accepted. */
  retry(trial: Trial, waitMs: number, aliveMs?: number): void;
  /** Takes one whose time has come: those that wait alone last. @param isProbe Takes what failed least. */
  take(isProbe?: boolean): Trial | undefined;
  /** It has several events: its halves take its place. The second one waits for the first. */
  halve(trial: Trial, count?: number): void;
  /** The parcel was too large: its halves wait as if they were new, and may be cut further. */
  shrink(trial: Trial): void;
  /** There is an answer. If this half was accepted, the event at fault is in the other. */
  answered(trial: Trial, isAccepted: boolean): void;
  /** It ends, or waits alone: the events behind it need not wait for it. */
  free(trial: Trial): void;
  /** Those may go that wait until this time, or less. The time may have come though the clock was set back, or stands still. */
  due(until: number): void;
  /** The reason for failures may be gone: all but those that wait alone may go. */
  hurry(): void;
  /** The service is back: all but those that wait alone may go. Those that only it made fail go together. */
  resume(): void;
  /** Ends those that are too old, or that nobody may send any more. */
  tidy(): Promise<void>;
  /** All go back. */
  leave(): void;
}

export function createTrials(options: TrialsOptions): Trials {
  const { clock, isOrdered, isStrict, limit, waiting } = options;
  /** Also of parcels that went back, as long as they are in memory. */
  const known = new WeakMap<Parcel, Trial>();
  /** In the order of their events, if the order counts. */
  let list: Trial[] = [];

  function count(): number {
    return list.length - alone().length;
  }

  function halve(trial: Trial, count?: number): void {
    const { parcel, whole } = trial;
    // Halves with different customers need not wait for each other.
    let halves = isOrdered ? waiting.divide(parcel) : [parcel];
    const isInOrder = isOrdered && halves.length < 2;
    if (halves.length < 2)
      halves = halves.flatMap((one) => waiting.cut(one, count ?? Math.ceil(one.count / 2)));
    const [first, second] = halves;
    if (!first || !second) return;
    const isSure = whole.refusals === 0 || limit.partTaken(parcel.count) >= 1;
    const [one, other] = trial.halves(first, second, isSure, isInOrder);
    remember(one);
    remember(other);
    if (trial.pair?.isInOrder) other.next = trial.next;
    else release(trial);
    list.unshift(...(isStrict ? [one, other] : [one]));
    if (!isStrict) one.next = other;
  }

  function free(trial: Trial): void {
    trial.parcel.lanes = 0;
    release(trial);
  }

  function hurry(): void {
    for (const trial of list) if (!trial.isAlone) trial.at = 0;
  }

  function alone(): readonly Trial[] {
    return list.filter(({ isAlone }) => isAlone);
  }

  /** Those that need not wait for others. */
  function unblocked(): readonly Trial[] {
    const [first] = isStrict ? list.filter(({ isAlone }) => !isAlone) : [];
    return first ? [first, ...alone()] : list;
  }

  /** The other half need not wait for this one. */
  function release(trial: Trial): void {
    if (!trial.next) return;
    list.unshift(trial.next);
    trial.next = undefined;
  }

  function remember(trial: Trial): Trial {
    known.set(trial.parcel, trial);
    return trial;
  }

  function remove(trial: Trial): void {
    list = list.filter((other) => other !== trial);
  }

  return {
    get count() {
      return count();
    },
    get shown() {
      const suspects = list.filter(({ isSuspect }) => isSuspect);
      return suspects.slice(0, MOST_SHOWN).map(({ at, parcel, sent, status, words }) => {
        const event = new TextDecoder().decode(parcel.events.bytes.subarray(0, SHOWN_BYTES));
        return { event, tries: sent, nextAt: at, status, words };
      });
    },
    get hasRoom() {
      return count() < MOST_PARCELS && bytesOf(list) < MOST_BYTES;
    },
    get events() {
      return list.reduce(
        (total, trial) => total + chain(trial).reduce((sum, { parcel }) => sum + parcel.count, 0),
        0,
      );
    },
    get nextAt() {
      const now = clock.now();
      const times = unblocked().map(({ at, parcel }) =>
        Math.min(at, now + (waiting.expiresInMs(parcel) ?? at)),
      );
      return Math.min(...times, Number.POSITIVE_INFINITY);
    },
    of(parcel) {
      const trial = known.get(parcel);
      if (trial?.count === parcel.count) return trial;
      return remember(new Trial(parcel, waiting.denied));
    },
    add(trial) {
      list.push(trial);
    },
    retry(trial, waitMs, aliveMs) {
      trial.at = clock.now() + waitMs;
      trial.aliveMs = aliveMs;
      list.unshift(trial);
      if (!trial.isAlone || bytesOf(alone()) <= MOST_SUSPECT_BYTES) return;
      remove(trial);
      waiting.putBack(trial.parcel, 'last');
    },
    take(isProbe = false) {
      const now = clock.now();
      for (;;) {
        const due = unblocked().filter(({ at }) => at <= now);
        const [first] = due.sort(
          (one, other) =>
            Number(one.isAlone) - Number(other.isAlone) ||
            (isProbe ? one.failures - other.failures : 0) ||
            // The smallest first: so an event at fault is found before others are looked for.
            one.parcel.count - other.parcel.count ||
            one.at - other.at,
        );
        if (!first) return undefined;
        remove(first);
        const { parcel, whole } = first;
        const { count } = parcel;
        const isRefused = isProbe && (isOrdered || whole.refusals > 0);
        if (count < 2 || !(first.isBlamed || isRefused || limit.refuses(count))) return first;
        // The event at fault is in here: no need to ask. As a probe, one event says more than many.
        halve(first, isRefused ? 1 : undefined);
      }
    },
    halve,
    shrink({ denied, parcel, whole }) {
      const halves = waiting.cut(parcel, Math.ceil(parcel.count / 2));
      whole.open += halves.length - 1;
      for (const half of halves.reverse()) {
        remember(new Trial(half, denied, whole));
        waiting.putBack(half, 'first');
      }
    },
    answered(trial, isAccepted) {
      if (isAccepted || trial.pair?.isInOrder !== true) release(trial);
      if (!isAccepted) return;
      if (trial.pair) trial.pair.isAccepted = true;
      const now = clock.now();
      for (const other of list) {
        if (other.isBlamed && other.parcel.count > 1) other.at = now;
        other.at = Math.min(other.at, now + (other.aliveMs ?? other.at));
      }
    },
    free,
    due(until) {
      for (const trial of list) if (trial.at <= until) trial.at = 0;
    },
    hurry,
    resume() {
      const isWhole = ({ isAlone, pair }: Trial) => !(isStrict || isAlone || pair);
      hurry();
      // Halves failed because the service was away. If it accepts one of them now, this says nothing about the other.
      for (const { pair, whole } of list)
        if (!isStrict && pair && !whole.isAccepted && whole.refusals === 0) pair.isSure = false;
      const whole = list.filter(isWhole);
      list = list.filter((trial) => !isWhole(trial));
      for (const { parcel } of whole.reverse()) waiting.putBack(parcel, 'journal');
    },
    async tidy() {
      for (const trial of [...list]) {
        const { denied, parcel } = trial;
        const isExpired = waiting.expiresInMs(parcel) === 0;
        if (!denied.aborted && !isExpired) continue;
        remove(trial);
        free(trial);
        await waiting.end(parcel, denied.aborted ? 'denied' : 'expired');
      }
    },
    leave() {
      for (const trial of list.splice(0).reverse())
        for (const one of chain(trial).reverse()) {
          one.next = undefined;
          waiting.putBack(one.parcel, 'first');
        }
    },
  };
}

/** A trial, and those that wait for it. */
function chain(trial: Trial): Trial[] {
  const all: Trial[] = [];
  for (let one: Trial | undefined = trial; one; one = one.next) all.push(one);
  return all;
}

function bytesOf(trials: readonly Trial[]): number {
  return trials.reduce((total, { parcel }) => total + parcel.body.length, 0);
}
