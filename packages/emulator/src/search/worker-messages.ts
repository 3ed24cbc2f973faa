import type { Extent } from './indexer.ts';
import type { Questions } from './search.ts';

/** Messages to the search thread. */
export type ToWorker =
  | { readonly type: 'changed'; readonly extent: Extent }
  | {
      readonly type: 'ask';
      readonly id: number;
      readonly kind: keyof Questions;
      readonly given: Questions[keyof Questions]['given'];
      readonly extent: Extent;
    }
  | { readonly type: 'close' };

/** Messages from the search thread. */
export type FromWorker =
  | { readonly type: 'progress'; readonly indexed: number; readonly merged: number }
  | { readonly type: 'answer'; readonly id: number; readonly answer: Questions[keyof Questions]['answer'] }
  | { readonly type: 'failed'; readonly id: number; readonly reason: string }
  /** The thread continues its work later. */
  | { readonly type: 'trouble'; readonly reason: string }
  /** The thread does not continue: the index must be built anew. */
  | { readonly type: 'damaged'; readonly reason: string };
