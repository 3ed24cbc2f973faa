import { BATCH_OVERHEAD_BYTES } from '@sluice/protocol';
import type { SizeLimit } from '../../pace/limits.ts';

/** After this many accepted bodies near the limit, the limit is raised. */
const ACCEPTED_TO_RAISE = 64;
/** A smaller raise is not worth the refusal that it may cause. */
const LEAST_RAISE = 1.05;
/** A batch may exceed the limit by this factor, because the halves of a batch differ a little in size. */
const TOLERANCE = 1.25;
/** A body with at least this part of the limit is near it. A smaller body had room for another event of its size. */
const NEAR = 0.5;
/** A refusal counts for this long, because services change their limits. */
const FORGET_AFTER_MS = 60 * 60_000;

/** Learns from refusals (413) how large a body may be. There is no limit before the first refusal. */
export class LearnedSize implements SizeLimit {
  readonly why = ', since the service refused a larger body';
  readonly #onChange: (bytes: number) => void;
  #bytes = Number.POSITIVE_INFINITY;
  #smallestRefused = Number.POSITIVE_INFINITY;
  #refusedAt = 0;
  #largestAccepted = 0;
  #acceptedNear = 0;

  constructor(onChange: (bytes: number) => void) {
    this.#onChange = onChange;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** A body of this size is known to be too large, whatever it contains. Infinity while no body is accepted, however small. */
  tooLargeBytes(now: number): number {
    return this.#largestAccepted > 0 ? this.#refusedBytes(now) : Number.POSITIVE_INFINITY;
  }

  mostEventBytes(now: number): number {
    return this.tooLargeBytes(now) - BATCH_OVERHEAD_BYTES - 1;
  }

  tookAsLarge(bytes: number): boolean {
    return this.#largestAccepted >= bytes;
  }

  isTooLarge(bytes: number, now: number): boolean {
    return bytes > this.#bytes * TOLERANCE || bytes >= this.#refusedBytes(now);
  }

  /** The limit falls to half of its size, or to the largest accepted size if that is more. */
  refused(bytes: number, now: number): void {
    if (bytes <= this.#refusedBytes(now)) {
      this.#smallestRefused = bytes;
      this.#refusedAt = now;
    }
    // The service now refuses a size that it accepted before, so that acceptance no longer counts.
    if (this.#largestAccepted >= bytes) this.#largestAccepted = 0;
    this.#set(Math.min(this.#bytes, Math.max(Math.floor(bytes / 2), this.#largestAccepted)));
  }

  accepted(bytes: number, now: number): void {
    this.#largestAccepted = Math.max(this.#largestAccepted, bytes);
    if (this.#bytes === Number.POSITIVE_INFINITY) return;
    // A body of the refused size was accepted, so smaller ones were not refused for their size.
    if (bytes >= this.#refusedBytes(now)) this.#smallestRefused = Number.POSITIVE_INFINITY;
    if (bytes < this.#bytes * NEAR) return;
    this.#acceptedNear += 1;
    if (this.#acceptedNear < ACCEPTED_TO_RAISE) return;
    const raised = Math.floor(Math.min(this.#bytes * 2, (this.#bytes + this.#refusedBytes(now)) / 2));
    this.#set(raised < this.#bytes * LEAST_RAISE ? this.#bytes : raised);
  }

  #refusedBytes(now: number): number {
    const age = now - this.#refusedAt;
    if (age < 0 || age > FORGET_AFTER_MS) this.#smallestRefused = Number.POSITIVE_INFINITY;
    return this.#smallestRefused;
  }

  #set(bytes: number): void {
    this.#acceptedNear = 0;
    if (bytes === this.#bytes) return;
    this.#bytes = bytes;
    this.#onChange(bytes);
  }
}
