import type { SizeLimit } from './limits.ts';

/** Each accepted body raises the limit by this factor. So a wrong limit does not last. */
const GROWTH = 1.02;
/** A batch may exceed the limit by this factor, because the halves of a batch differ a little in size. */
const TOLERANCE = 1.25;

/** Halves the limit with each refusal. For pages without the part `learn`, which needs fewer requests. */
export class HalvingLimit implements SizeLimit {
  bytes: number = Number.POSITIVE_INFINITY;

  isTooLarge(bytes: number): boolean {
    return bytes > this.bytes * TOLERANCE;
  }

  accepted(): void {
    this.bytes = Math.ceil(this.bytes * GROWTH);
  }

  refused(bytes: number): void {
    this.bytes = Math.min(this.bytes, Math.ceil(bytes / 2));
  }
}
