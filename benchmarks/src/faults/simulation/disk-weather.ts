import type { Random } from '../random.ts';
import { DiskError, type DiskErrorCode } from './disk-error.ts';

/** The kind of a disk call. It decides which faults are possible. */
export type CallKind = 'open' | 'change' | 'write' | 'sync' | 'look' | 'close';

/** An outage of the disk: all calls of these kinds fail, each kind with its code. */
type Outage = Readonly<Partial<Record<CallKind, DiskErrorCode>>>;

const OUTAGES: readonly Outage[] = [
  { open: 'EIO', change: 'EIO', write: 'EIO', sync: 'EIO', look: 'EIO' },
  { change: 'EROFS', write: 'EROFS' },
  { change: 'ENOSPC', write: 'ENOSPC' },
  { open: 'EMFILE', change: 'EMFILE' },
  { sync: 'EIO' },
  { write: 'EIO' },
];

/** The faults that can happen now and then, by kind of call. */
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
  /** One call in this many fails. 0: none. */
  #rarity = 0;
  #unreliable: CallKind | undefined;
  #shortens = false;
  #outage: Outage | undefined;
  /** How many calls have failed. */
  faults = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /**
   * From now on, a call fails now and then, or a write stores fewer bytes than it was given.
   *
   * @param only The kind of call that fails. Default: all kinds.
   */
  turnUnreliable(rarity: number, only?: CallKind): void {
    this.#rarity = rarity;
    this.#unreliable = only;
    this.#shortens = true;
  }

  /** From now on, all calls of some kinds fail, until `endOutage()`. */
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

  /** Throws if this call must fail. */
  check(kind: CallKind, what: string): void {
    const code = this.#outage?.[kind] ?? this.#chance(kind);
    if (code === undefined) return;
    this.faults += 1;
    throw new DiskError(code, what);
  }

  /** How many of `length` bytes a write stores. */
  shorten(length: number): number {
    return this.#shortens && length > 1 && this.#random(8) === 0 ? 1 + this.#random(length - 1) : length;
  }

  #chance(kind: CallKind): DiskErrorCode | undefined {
    if (this.#rarity === 0 || (this.#unreliable ?? kind) !== kind) return undefined;
    if (this.#random(this.#rarity) > 0) return undefined;
    return FAULTS[kind][this.#random(FAULTS[kind].length)];
  }
}
