/** After so many accepted bodies near the limit, a larger one is tried. */
const ACCEPTED_TO_RAISE = 64;
/** A smaller step towards what was refused is not worth the refusal that it may bring. */
const LEAST_RAISE = 1.05;
/** Halves of a batch are not of the same size to the byte: what is a little above the limit may be tried. */
const TOLERANCE = 1.25;
/** A body of this part of the limit is near it: where it has less, another event of its size would have fit. */
const NEAR = 0.5;
/** A refusal is believed for so long; limits of services change. */
const FORGET_AFTER_MS = 60 * 60_000;

/** Learns from refusals (413) how large a body may be. No limit until the first. */
export class SizeLimit {
  readonly #onChange: (bytes: number) => void;
  #bytes = Number.POSITIVE_INFINITY;
  #smallestRefused = Number.POSITIVE_INFINITY;
  #refusedAt = 0;
  #largestAccepted = 0;
  #acceptedNear = 0;

  constructor(onChange: (bytes: number) => void) {
    this.#onChange = onChange;
  }

  /** The most that a body of several events should have. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A body of so many bytes is known to be too large, whatever is in it. Not known where all is refused, however small. */
  tooLargeBytes(now: number): number {
    return this.#largestAccepted > 0 ? this.#refusedBytes(now) : Number.POSITIVE_INFINITY;
  }

  /** Whether a body of that size was accepted of late: then its size is hardly why it is refused. */
  tookAsLarge(bytes: number): boolean {
    return this.#largestAccepted >= bytes;
  }

  /** Whether a batch that is made already should rather be sent in parts. */
  isTooLarge(bytes: number, now: number): boolean {
    return bytes > this.#bytes * TOLERANCE || bytes >= this.#refusedBytes(now);
  }

  /** A body was too large: half of it, or what was accepted of late where that is more, may not be. */
  refused(bytes: number, now: number): void {
    if (bytes <= this.#refusedBytes(now)) {
      this.#smallestRefused = bytes;
      this.#refusedAt = now;
    }
    // What was accepted before says nothing of a service that refuses it now.
    if (this.#largestAccepted >= bytes) this.#largestAccepted = 0;
    this.#set(Math.min(this.#bytes, Math.max(Math.floor(bytes / 2), this.#largestAccepted)));
  }

  /** A body was not too large. */
  accepted(bytes: number, now: number): void {
    this.#largestAccepted = Math.max(this.#largestAccepted, bytes);
    if (this.#bytes === Number.POSITIVE_INFINITY) return;
    // Then it was not for their size that smaller ones were refused.
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
