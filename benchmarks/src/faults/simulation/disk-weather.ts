import type { Random } from '../random.ts';
import { DiskError, type DiskErrorCode } from './disk-error.ts';

/** What a call to the disk does, as far as it decides which faults it can meet. */
export type CallKind = 'open' | 'change' | 'write' | 'sync' | 'look' | 'close';

/** A disk that fails altogether: each kind of call that it names, in this way. */
type Outage = Readonly<Partial<Record<CallKind, DiskErrorCode>>>;

const OUTAGES: readonly Outage[] = [
  { open: 'EIO', change: 'EIO', write: 'EIO', sync: 'EIO', look: 'EIO' },
  { change: 'EROFS', write: 'EROFS' },
  { change: 'ENOSPC', write: 'ENOSPC' },
  { open: 'EMFILE', change: 'EMFILE' },
  { sync: 'EIO' },
  { write: 'EIO' },
];

/** What can happen to a call now and then. */
const FAULTS: Readonly<Record<CallKind, readonly DiskErrorCode[]>> = {
  open: ['EIO', 'EMFILE'],
  change: ['EIO', 'EMFILE', 'ENOSPC', 'EROFS'],
  write: ['EIO', 'ENOSPC', 'EROFS'],
  sync: ['EIO'],
  look: ['EIO'],
  close: ['EIO'],
};

/** Decides which calls to the disk fail. */
export class DiskWeather {
  readonly #random: Random;
  /** One call in so many fails; never: 0. */
  #rarity = 0;
  #unreliable: CallKind | undefined;
  #shortens = false;
  #outage: Outage | undefined;
  /** How often something has failed. */
  faults = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /**
   * From now on a call fails now and then, or a write takes less than it was given.
   *
   * @param only The kind of call that fails. Left out: all.
   */
  turnUnreliable(rarity: number, only?: CallKind): void {
    this.#rarity = rarity;
    this.#unreliable = only;
    this.#shortens = true;
  }

  /** From now on, and until it is over, calls of some kind all fail. */
  breakDown(): void {
    this.#outage = OUTAGES[this.#random(OUTAGES.length)];
  }

  endOutage(): void {
    this.#outage = undefined;
  }

  clear(): void {
    this.#rarity = 0;
    this.#shortens = false;
    this.#outage = undefined;
  }

  /** Throws where this call is to fail. */
  check(kind: CallKind, what: string): void {
    const code = this.#outage?.[kind] ?? this.#chance(kind);
    if (code === undefined) return;
    this.faults += 1;
    throw new DiskError(code, what);
  }

  /** How many of `length` bytes a write takes. */
  shorten(length: number): number {
    return this.#shortens && length > 1 && this.#random(8) === 0 ? 1 + this.#random(length - 1) : length;
  }

  #chance(kind: CallKind): DiskErrorCode | undefined {
    if (this.#rarity === 0 || (this.#unreliable ?? kind) !== kind) return undefined;
    if (this.#random(this.#rarity) > 0) return undefined;
    return FAULTS[kind][this.#random(FAULTS[kind].length)];
  }
}
