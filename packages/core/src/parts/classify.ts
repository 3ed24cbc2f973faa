import type { ReadRejected } from '../send/http/transport.ts';
import { type Classify, rejectedIndexes } from './rejected-indexes.ts';

/** Calls the application's `classify` function for an answer. */
export type ClassifyPart = (user: {
  readonly settings: { readonly delivery: { readonly classify?: Classify | undefined } };
  readonly onFailed: (callback: string, error: unknown) => void;
}) => { readonly rejected: ReadRejected | undefined };

/**
 * For pages. In Node a tracker has this already.
 * @example createTracker({ ...options, delivery: { classify }, parts: { classify } });
 */
export const classify: ClassifyPart = ({ settings, onFailed }) => {
  const { classify } = settings.delivery;
  const failed = (error: unknown) => onFailed('delivery.classify', error);
  return { rejected: classify && ((batch, answer) => rejectedIndexes(batch, answer, classify, failed)) };
};
