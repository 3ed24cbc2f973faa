import type { SizeLimit } from './limits.ts';

/** Each accepted body raises the limit by this factor. So a wrong limit does not last. */
const GROWTH = 1.02;

/** Halves the limit with each refusal. For pages without the part `learn`, which needs fewer requests. */
export class HalvingLimit implements SizeLimit {
  most: number = Number.POSITIVE_INFINITY;

  accepted(): void {
    this.most = Math.ceil(this.most * GROWTH);
  }

  refused(size: number): void {
    this.most = Math.min(this.most, Math.ceil(size / 2));
  }
}
