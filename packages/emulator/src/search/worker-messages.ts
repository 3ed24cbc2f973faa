import type { Extent } from './indexer.ts';
import type { Questions } from './search.ts';

/** What the search thread is told. */
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

/** What it tells. */
export type FromWorker =
  | { readonly type: 'progress'; readonly indexed: number; readonly merged: number }
  | { readonly type: 'answer'; readonly id: number; readonly answer: Questions[keyof Questions]['answer'] }
  | { readonly type: 'failed'; readonly id: number; readonly reason: string }
  /** Its work goes on later. */
  | { readonly type: 'trouble'; readonly reason: string }
  /** Its work does not go on: the index has to be made anew. */
  | { readonly type: 'damaged'; readonly reason: string };
