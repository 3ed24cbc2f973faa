import { type Batch, splitBatch } from '../wait/batch.ts';
import type { Evidence, Suspicion } from './evidence.ts';
import type { OutgoingLane } from './settlement.ts';

/** Events of a batch that are sent together, and what happened to them so far. */
export interface Piece {
  readonly batch: Batch;
  /** The other half of a batch that was refused. */
  sibling?: Piece;
  /** Whether the event at fault is known to be in this piece, because the other half was accepted. */
  isAtFault?: boolean;
  /** Whether it was held back once already, because the service was to blame. */
  isHeld?: boolean | undefined;
  /** Whether it was sent before. */
  isRepeated: boolean;
  failures: number;
  /** Whether the next try uses the retry budget. */
  owesBudget: boolean;
  /** Statuses with which a single event was refused. */
  readonly refusals: number[];
  /** Resolves when the piece may be sent again. */
  again?: Promise<void> | undefined;
  /** Set once the piece was refused while others were accepted. */
  suspicion?: Suspicion | undefined;
  /** The number of the last request that sent it. */
  request: number;
}

export interface PiecesOptions {
  readonly evidence: Evidence;
  readonly random: () => number;
  readonly isStrict: boolean;
}

/** What is left of a batch, as a stack: the last piece is sent next, the one that was cut off first is at the bottom. */
export class Pieces {
  readonly #options: PiecesOptions;
  /** The lane of the batch. */
  readonly #lane: OutgoingLane;
  #waiting: Piece[] = [];
  /** The piece that is being sent, or waits to be sent. */
  #current: Piece | undefined;

  constructor(options: PiecesOptions, lane: OutgoingLane) {
    this.#options = options;
    this.#lane = lane;
  }

  /** Whether each piece was refused while others were accepted. */
  get areSuspect(): boolean {
    return this.#current?.suspicion !== undefined && this.#waiting.every(({ suspicion }) => suspicion);
  }

  next(): Piece | undefined {
    this.#current = this.#waiting.pop();
    return this.#current;
  }

  take(batch: Batch): Piece {
    this.#lane.underWay.add(batch);
    // A batch that was put aside has failed before.
    const isRepeated = batch.range.isWhole === true;
    const suspicion = this.#options.evidence.knownAs(batch.range);
    return { batch, isRepeated, failures: 0, owesBudget: isRepeated, refusals: [], suspicion, request: 0 };
  }

  putNext(piece: Piece): void {
    this.#waiting.push(piece);
  }

  putLast(piece: Piece): void {
    this.#waiting.unshift(piece);
  }

  /** Sends the largest piece next. If the service accepts it, the event that was refused is known to be at fault. */
  largestNext(): void {
    this.#waiting.push(...this.#waiting.splice(0, 1));
  }

  /** Adds a batch. If it holds suspected events, it is split so that each of them is sent alone, after the others. */
  add(batch: Batch): void {
    const { evidence, isStrict } = this.#options;
    const piece = this.take(batch);
    if (piece.suspicion !== undefined) this.putLast(piece);
    else if (isStrict || !evidence.knows(batch.range)) this.putNext(piece);
    else {
      this.#lane.underWay.delete(batch);
      for (const half of splitBatch(batch)) this.add(half);
    }
  }

  /** Sends one random event of a batch first, then the others. The answer to it says enough about the service. */
  sample(batch: Batch): void {
    this.#lane.underWay.delete(batch);
    let part = batch;
    while (part.events.ends.length > 1) {
      const [first, second] = splitBatch(part);
      const takesFirst = this.#options.random() < 0.5;
      this.putNext(this.take(takesFirst ? second : first));
      part = takesFirst ? first : second;
    }
    this.putNext(this.take(part));
  }

  /**
   * Replaces a piece by its halves.
   *
   * @param isAtFault Whether an event is at fault, not the size.
   * @param isLater Whether the halves go after all other pieces.
   */
  cut({ batch }: Piece, isAtFault: boolean, isLater?: boolean): void {
    this.#lane.underWay.delete(batch);
    const [first, second] = splitBatch(batch);
    const next = this.take(first);
    const behind = this.take(second);
    if (isAtFault) {
      next.sibling = behind;
      behind.sibling = next;
    }
    if (isLater) this.#waiting.unshift(behind, next);
    else this.#waiting.push(behind, next);
  }

  /** Puts a batch and the waiting pieces back, so that others are tried first. Returns false if no journal holds the batch. */
  putBack(batch: Batch): boolean {
    const { underWay } = this.#lane;
    if (!underWay.putBack(batch)) return false;
    this.#waiting = this.#waiting.reverse().filter(({ batch }) => !underWay.putBack(batch));
    return true;
  }

  /** Puts all pieces back, before all other waiting events. The piece to be sent next is put back last, so it comes first. */
  leave(): void {
    for (const piece of [...this.#waiting, this.#current]) if (piece) this.#lane.underWay.leave(piece.batch);
  }
}
