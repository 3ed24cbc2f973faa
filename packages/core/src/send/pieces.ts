import { type Batch, splitBatch } from '../wait/batch.ts';
import type { Evidence, Suspicion } from './evidence.ts';
import type { OutgoingLane } from './settlement.ts';

/** Events of the batch that are sent together, and what came of them so far. */
export interface Piece {
  readonly batch: Batch;
  /** The other half of what was refused. */
  sibling?: Piece;
  /** Whether the event at fault is known to be in here: the other half was accepted. */
  isAtFault?: boolean;
  /** Whether it was held back once already, because the service is to blame. */
  isHeld?: boolean | undefined;
  /** Whether it was sent before. */
  isRepeated: boolean;
  failures: number;
  /** Whether the next try is to be paid from the budget of retries. */
  owesBudget: boolean;
  /** Statuses by which a single event was refused. */
  readonly refusals: number[];
  /** Resolves when it may be sent. */
  again?: Promise<void> | undefined;
  /** What is held against it, once it was refused while others were accepted. */
  suspicion?: Suspicion | undefined;
  /** The number of the last request that was made with it. */
  request: number;
}

export interface PiecesOptions {
  readonly evidence: Evidence;
  readonly random: () => number;
  readonly isStrict: boolean;
}

/** What is left of a batch: what is to be sent next is last, what was cut off first is first. */
export class Pieces {
  readonly #options: PiecesOptions;
  /** The one that the batch is of. */
  readonly #lane: OutgoingLane;
  #waiting: Piece[] = [];
  /** The one that is being sent, or waits for that. */
  #current: Piece | undefined;

  constructor(options: PiecesOptions, lane: OutgoingLane) {
    this.#options = options;
    this.#lane = lane;
  }

  /** Whether each of them was refused while others were accepted. */
  get areSuspect(): boolean {
    return this.#current?.suspicion !== undefined && this.#waiting.every(({ suspicion }) => suspicion);
  }

  next(): Piece | undefined {
    this.#current = this.#waiting.pop();
    return this.#current;
  }

  take(batch: Batch): Piece {
    this.#lane.underWay.add(batch);
    // One that was put aside failed before.
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

  /** Next is what is largest: when the service takes that, it is known to be the fault of the event that was refused. */
  largestNext(): void {
    this.#waiting.push(...this.#waiting.splice(0, 1));
  }

  /** A batch, or the parts of it that hold none of the events that are suspected already, which come by themselves and last. */
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

  /** One event of a batch first, any one, and behind it the others: what comes of it says enough of the service. */
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
   * Goes on with the halves of one.
   *
   * @param isAtFault Whether an event is, and not the size.
   * @param isLater Whether after all others.
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

  /** A batch goes back, and what is behind it too, so that others are tried before it. False where no journal holds it. */
  putBack(batch: Batch): boolean {
    const { underWay } = this.#lane;
    if (!underWay.putBack(batch)) return false;
    this.#waiting = this.#waiting.reverse().filter(({ batch }) => !underWay.putBack(batch));
    return true;
  }

  /** All wait again, before all others: what is to be sent next goes back last. */
  leave(): void {
    for (const piece of [...this.#waiting, this.#current]) if (piece) this.#lane.underWay.leave(piece.batch);
  }
}
