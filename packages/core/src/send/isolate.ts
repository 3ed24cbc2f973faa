import type { Parcel } from '../wait/parcel.ts';
import type { Evidence, Suspicion } from './evidence.ts';
import type { Waiting } from './waiting.ts';

/** A parcel, or a part of one, and what happened to it so far. */
export interface Piece {
  readonly parcel: Parcel;
  /** Number of its events. */
  readonly count: number;
  /** Statuses with which it was refused. */
  readonly refusals: number[];
  /** Set if it is one half of a refused parcel. If one half is accepted, the event at fault is known to be in the other. */
  readonly pair: { isAccepted: boolean } | undefined;
  /** Set once it was refused while others were accepted. */
  suspicion: Suspicion | undefined;
  /** The number of the last request that sent it; 0 if there was none. */
  request: number;
  failures: number;
  /** Whether the next try uses the retry budget. */
  owesBudget: boolean;
  /** Resolves when it may be sent again. */
  again?: Promise<void> | undefined;
  /** Whether it was held back once already, because the service was to blame. */
  isHeld?: boolean | undefined;
}

/** What is left of a parcel, as a stack: the last piece is sent next. Isolates events at fault by halving. */
export class Pieces {
  readonly #waiting: Waiting;
  readonly #evidence: Evidence;
  #stack: Piece[] = [];
  /** The piece that is being sent, or waits to be sent. */
  #current: Piece | undefined;

  constructor(waiting: Waiting, evidence: Evidence) {
    this.#waiting = waiting;
    this.#evidence = evidence;
  }

  /** Whether each piece was refused while others were accepted. */
  get areSuspect(): boolean {
    return [this.#current, ...this.#stack].every((piece) => piece?.suspicion);
  }

  next(): Piece | undefined {
    this.#current = this.#stack.pop();
    return this.#current;
  }

  pieceOf(parcel: Parcel, pair?: Piece['pair']): Piece {
    const suspicion = this.#evidence.knownAs(parcel);
    // What was put aside was sent before.
    const owesBudget = parcel.isSent;
    return {
      parcel,
      count: parcel.count,
      refusals: [],
      pair,
      suspicion,
      request: 0,
      failures: 0,
      owesBudget,
    };
  }

  putNext(piece: Piece): void {
    this.#stack.push(piece);
  }

  putLast(piece: Piece): void {
    this.#stack.unshift(piece);
  }

  /** Sends the largest piece next. If the service accepts it, the event that was refused is known to be at fault. */
  largestNext(): void {
    this.#stack.push(...this.#stack.splice(0, 1));
  }

  /** Adds a parcel. If it holds suspected events, it is cut so that each of them is sent alone, after the others. */
  add(parcel: Parcel): void {
    const piece = this.pieceOf(parcel);
    if (piece.suspicion) this.putLast(piece);
    else if (!this.#evidence.knows(parcel)) this.putNext(piece);
    else for (const half of this.#halve(parcel)) this.add(half);
  }

  /** Adds a parcel. The event with this index is sent first: the answer to it says enough about the service. */
  addSample(parcel: Parcel, index: number): void {
    const pieces = this.#waiting.cut(parcel, index, index + 1).map((part) => this.pieceOf(part));
    this.#stack.push(...pieces.sort((one, other) => other.count - one.count));
  }

  /**
   * Replaces a piece by its halves.
   *
   * @param isAtFault Whether an event is at fault, not the size.
   * @param isLater Whether the halves go after all other pieces.
   */
  cut({ parcel }: Piece, isAtFault: boolean, isLater = false): void {
    const pair = isAtFault ? { isAccepted: false } : undefined;
    const halves = this.#halve(parcel).map((half) => this.pieceOf(half, pair));
    if (isLater) this.#stack.unshift(...halves.reverse());
    else this.#stack.push(...halves.reverse());
  }

  /** Puts a piece and those that wait back, so that others are tried first. Returns false if no journal holds the piece. */
  putBack({ parcel }: Piece): boolean {
    if (!this.#waiting.putBack(parcel, 'last')) return false;
    this.#stack = this.#stack.reverse().filter((other) => !this.#waiting.putBack(other.parcel, 'last'));
    return true;
  }

  /** Puts all pieces back, before all other waiting events. The piece to be sent next is put back last, so it comes first. */
  leave(): void {
    for (const piece of [...this.#stack, this.#current])
      if (piece) this.#waiting.putBack(piece.parcel, 'first');
  }

  #halve(parcel: Parcel): Parcel[] {
    return this.#waiting.cut(parcel, Math.ceil(parcel.count / 2));
  }
}
