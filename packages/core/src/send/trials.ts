import type { Clock } from '@sluice/protocol/toolbox';
import type { Suspect } from '../tell/stats.ts';
import type { Contents } from '../wait/contents.ts';
import type { Parcel } from '../wait/parcel.ts';
import type { Place } from '../wait/queue.ts';
import type { Waiting } from '../wait/waiting.ts';
import type { Blame } from './blame.ts';
import type { Limits } from './limits.ts';
import { ParcelTrial } from './parcel-trial.ts';
import { bytesOf } from './trial.ts';

/** Maximum number and size, in bytes, of parcels that wait for their next try. Beyond that, no new ones are sent. */
const MOST_PARCELS = 1_000;
const MOST_BYTES = 32 * 1024 * 1024;
/** Maximum size of all events that wait alone, in bytes. Others go back to the journal, and are found again later. */
const MOST_SUSPECT_BYTES = 8 * 1024 * 1024;

/** A parcel may exceed the limit by this factor: halves of a parcel that was too large differ a little in size. */
const TOLERANCE = 1.25;

/**
 * If a pause ends within this time after another, in milliseconds, and nothing else waits, this many of the parcels that failed most
 * often are not joined with others: so an event at fault that only fails alone is found. After an outage they would only cost requests.
 */
const SOON_MS = 60 * 60_000;
const STAYING = 2;
/** After this many repeated requests in all, an event in one of them may be why they fail. */
const PATIENT = 15;

/** The most events that `stats()` shows, and the most bytes of each. */
const MOST_SHOWN = 1_000;
const SHOWN_BYTES = 200;

interface TrialsOptions {
  readonly clock: Clock;
  readonly waiting: Pick<Waiting, 'cut' | 'divide' | 'end' | 'expiresInMs' | 'hasOthers' | 'putBack'>;
  readonly blame: Pick<Blame, 'isFound'>;
  readonly limits: Limits;
  readonly isStrict: boolean;
  readonly isOrdered: boolean;
}

/** Parcels that failed. Each waits for a time of its own, and then goes again. */
export class Trials {
  readonly #options: TrialsOptions;
  /** Includes parcels that went back to the queue, as long as their contents stay in memory. */
  readonly #known = new WeakMap<Contents, ParcelTrial>();
  /** In the order of their events, if the order counts. */
  #list: ParcelTrial[] = [];
  /** Those that wait alone, by the time of their next try: there may be thousands. */
  #alone: ParcelTrial[] = [];
  /** The most events of an accepted request. */
  #most = 0;
  /** When the last pause ended. */
  #resumedAt = Number.NEGATIVE_INFINITY;

  constructor(options: TrialsOptions) {
    this.#options = options;
  }

  /** Number of parcels that do not wait alone. */
  get count(): number {
    return this.#list.length;
  }

  get shown(): Suspect[] {
    const suspects = this.#all.filter(({ isSuspect }) => isSuspect);
    return suspects.slice(0, MOST_SHOWN).map(({ at, parcel, sent, why }) => {
      const event = new TextDecoder().decode(parcel.events.bytes.subarray(0, SHOWN_BYTES));
      return { event, tries: sent, nextAt: at, status: why?.status ?? 0, words: why?.words ?? '' };
    });
  }

  get hasRoom(): boolean {
    return this.count < MOST_PARCELS && bytesOf(this.#list.map(({ parcel }) => parcel)) < MOST_BYTES;
  }

  get events(): number {
    return this.#list.reduce((total, { parcel }) => total + parcel.count, this.#alone.length);
  }

  /** When the next one may be sent, or is too old; Infinity if there is none. */
  get nextAt(): number {
    const { clock, waiting } = this.#options;
    const now = clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const { at, parcel } of [...this.#unblocked, ...this.#alone])
      next = Math.min(next, at, now + (waiting.expiresInMs(parcel) ?? at));
    return next;
  }

  /** The trial of a parcel that waited. If some of its events were cut off, or it was read again, nothing is known of it. */
  of(parcel: Parcel, denied: AbortSignal): ParcelTrial {
    return this.#known.get(parcel.contents) ?? this.#start(parcel, denied);
  }

  /** A parcel that was sent before and went back waits here again. */
  add(trial: ParcelTrial): void {
    if (trial.isAlone) this.#addAlone(trial);
    else this.#list.push(trial);
  }

  /** It goes again after `waitMs` milliseconds. */
  retry(trial: ParcelTrial, waitMs: number): void {
    const { clock, waiting } = this.#options;
    trial.at = clock.now() + waitMs;
    if (!trial.isAlone) return void this.#list.unshift(trial);
    trial.parcel.lanes = 0;
    trial.parcel.isAlone = true;
    this.#addAlone(trial);
    // Storage that refuses one letter refuses the others, too.
    if (trial.letter) {
      for (const other of this.#alone) if (other.letter) other.at = trial.at;
      this.#alone.sort((one, other) => one.at - other.at);
    }
    if (bytesOf(this.#alone.map(({ parcel }) => parcel)) <= MOST_SUSPECT_BYTES) return;
    this.#remove(trial);
    waiting.putBack(trial.parcel, 'last');
  }

  /** Takes one whose time has come: those that wait alone last. @param isProbe Takes what failed least often. */
  take(isProbe: boolean = false): ParcelTrial | undefined {
    const { clock, isOrdered, limits } = this.#options;
    const now = clock.now();
    for (;;) {
      const isDue = ({ at, denied }: ParcelTrial) => at <= now && !denied.aborted;
      const due = this.#unblocked.filter(isDue);
      const [first] = (due.length > 0 ? due : this.#aloneUntil(now).filter(isDue)).sort(
        (one, other) =>
          (isProbe ? one.sent + one.proofs - other.sent - other.proofs : 0) ||
          // The smallest first: so an event at fault is found before others are looked for.
          one.parcel.count - other.parcel.count ||
          one.at - other.at,
      );
      if (!first) return undefined;
      this.#remove(first);
      const { parcel, sent, why } = first;
      const { bytes, count } = parcel;
      const isTooLarge = limits.refuses?.(first) || (sent === 0 && bytes > limits.most.maxBytes * TOLERANCE);
      // As a probe, one event says more than many. What the service failed at goes as it is at first: it may have it.
      const again = this.#list.reduce((sum, { sent }) => sum + Math.max(0, sent - 1), sent);
      const isOne = isProbe && (isOrdered || (why && (why.reason !== 'unavailable' || again > PATIENT)));
      if (count < 2 || !(isOne || isTooLarge || this.#isFound(first))) return first;
      this.halve(first, isOne ? 1 : undefined);
    }
  }

  /** It has several events: its halves take its place. */
  halve(trial: ParcelTrial, count?: number): void {
    const { isOrdered, waiting } = this.#options;
    const { denied, parcel, proofs, pushes } = trial;
    // Halves with different customers need not wait for each other.
    let halves = isOrdered ? waiting.divide(parcel) : [parcel];
    const isInOrder = isOrdered && halves.length < 2;
    if (halves.length < 2)
      halves = halves.flatMap((one) => waiting.cut(one, count ?? Math.ceil(one.count / 2)));
    const pieces = halves.map((half) => this.#start(half, denied, proofs + pushes > 0 ? trial : undefined));
    const [first, second] = pieces;
    if (first && second) {
      first.pair = { count: parcel.count, isAccepted: false };
      second.pair = first.pair;
      second.after = first;
      second.isInOrder = isInOrder;
    }
    trial.pieces = pieces;
    this.#list.unshift(...pieces);
  }

  /** It was accepted: if an event at fault is known to be in others, these are halved at once. */
  accepted({ pair, parcel }: ParcelTrial): void {
    this.#most = Math.max(this.#most, parcel.count);
    if (pair) pair.isAccepted = true;
    for (const trial of this.#list) if (trial.parcel.count > 1 && this.#isFound(trial)) trial.at = 0;
  }

  /** All that wait until this time or less may go now. The clock may have been set back, or stand still. */
  due(until: number): void {
    for (const trial of [...this.#list, ...this.#aloneUntil(until)]) if (trial.at <= until) trial.at = 0;
  }

  /** The reason for failures may be gone: all may go but those that wait alone, or look like a wrong key or address. */
  hurry(): void {
    for (const trial of this.#list) if (!isDenial(trial)) trial.at = 0;
  }

  /**
   * The service is back: all may go but those that wait alone. Those that failed only because of it are joined again.
   *
   * @param mayBeAtFault How many of those that failed most often are not joined.
   */
  resume(mayBeAtFault = 0): void {
    const { clock, isStrict, waiting } = this.#options;
    const now = clock.now();
    const isSoon = Math.abs(now - this.#resumedAt) < SOON_MS;
    const count = isSoon && !waiting.hasOthers ? Math.max(STAYING, mayBeAtFault) : mayBeAtFault;
    this.#resumedAt = now;
    const staying = new Set([...this.#list].sort((one, other) => other.sent - one.sent).slice(0, count));
    // What nobody may send any more does not go back: nothing there tells that consent was denied.
    const isWhole = (trial: ParcelTrial) =>
      !isStrict &&
      !trial.denied.aborted &&
      trial.proofs < 2 &&
      // A push-back says something only if others are accepted between, or other pieces.
      trial.pushes + Number(trial.whole.isAccepted) < 2 &&
      !staying.has(trial);
    this.hurry();
    // What failed while the service was away says nothing about the events.
    for (const trial of this.#list) {
      trial.failures = 0;
      trial.refusals = Math.min(trial.refusals, trial.proofs);
      trial.pair = undefined;
    }
    const whole = this.#list.filter(isWhole);
    this.#list = this.#list.filter((trial) => !isWhole(trial));
    this.#putBack(whole, 'journal');
  }

  /** Ends those that are too old, or that nobody may send any more. */
  async tidy(): Promise<void> {
    const { waiting } = this.#options;
    const isOver = ({ denied, parcel }: ParcelTrial) => denied.aborted || waiting.expiresInMs(parcel) === 0;
    for (const trial of this.#all.filter(isOver)) {
      const { denied, parcel } = trial;
      // Meanwhile it may have gone back.
      if (this.#remove(trial)) await waiting.end(parcel, denied.aborted ? 'denied' : 'expired');
    }
  }

  leave(): void {
    const left = this.#all.filter(({ denied }) => !denied.aborted);
    this.#list = this.#list.filter(({ denied }) => denied.aborted);
    this.#alone = this.#alone.filter(({ denied }) => denied.aborted);
    this.#putBack(left, 'first');
  }

  get #all(): readonly ParcelTrial[] {
    return [...this.#list, ...this.#alone];
  }

  /** Those that may go, but for those that wait alone. */
  get #unblocked(): readonly ParcelTrial[] {
    return this.#options.isStrict ? this.#list.slice(0, 1) : this.#list.filter(({ isBlocked }) => !isBlocked);
  }

  #aloneUntil(time: number): readonly ParcelTrial[] {
    const later = this.#alone.findIndex(({ at }) => at > time);
    return later < 0 ? this.#alone : this.#alone.slice(0, later);
  }

  #addAlone(trial: ParcelTrial): void {
    let index = this.#alone.length;
    while ((this.#alone[index - 1]?.at ?? 0) > trial.at) index -= 1;
    this.#alone.splice(index, 0, trial);
  }

  /** Whether an event of it is at fault, and not their number. */
  #isFound(trial: ParcelTrial): boolean {
    const { pair } = trial;
    return (pair?.isAccepted && pair.count <= this.#most) || this.#options.blame.isFound(trial);
  }

  /** The last one goes back first, so that they are in order. In the queue, no half waits for the other. */
  #putBack(trials: ParcelTrial[], place: Place): void {
    for (const trial of trials.reverse()) {
      trial.after = undefined;
      this.#options.waiting.putBack(trial.parcel, place);
    }
  }

  #start(parcel: Parcel, denied: AbortSignal, from?: ParcelTrial): ParcelTrial {
    const trial = new ParcelTrial(parcel, denied, from);
    this.#known.set(parcel.contents, trial);
    return trial;
  }

  /** Returns whether it waited here. */
  #remove(trial: ParcelTrial): boolean {
    const list = trial.isAlone ? this.#alone : this.#list;
    const index = list.indexOf(trial);
    if (index < 0) return false;
    list.splice(index, 1);
    return true;
  }
}

/** Only time tells whether such an event is at fault: it keeps its wait. */
function isDenial({ why }: ParcelTrial): boolean {
  return why?.reason === 'unauthorized' || why?.reason === 'wrong-address';
}
