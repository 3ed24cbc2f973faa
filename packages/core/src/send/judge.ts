import type { Rule } from './delivery-policy.ts';
import type { Finding } from './evidence.ts';

/** After this many refusals a single event is at fault, even if each refusal had another status. */
const MOST_REFUSALS = 4;

/** What is known about the events of a request, and about the service, when the outcome is judged. */
export interface State {
  /** Number of events in the request. */
  readonly count: number;
  /** Statuses with which the same events were refused before. */
  readonly refusals: readonly number[];
  /** Whether the events are one half of a refused parcel. */
  readonly isHalf: boolean;
  /** Whether the service accepted a body of this size lately. */
  readonly tookAsLarge: boolean;
  /** Whether the service refused most of the last events. */
  readonly isBlamed: boolean;
  /** What the evidence says, if one event may be the reason why the service refuses our key or address. */
  readonly finding?: Finding | undefined;
}

/**
 * What to do with the events of a request:
 * - `accept`: they are delivered.
 * - `retry`: send them again, after a wait that the gate decides.
 * - `again`: send them again. The service works.
 * - `pause`: send nothing for a time. The events are not at fault.
 * - `drop`: drop them.
 * - `halve`: one of them is at fault. Send the halves next.
 * - `halve-later`: one of them may be at fault. Send the halves after all other events of the parcel.
 * - `shrink`: the body is too large. Send the halves next.
 * - `suspect`: one of them may be at fault. Send them later; meanwhile all others continue.
 * - `doubt`: nobody knows whether they are at fault. Pause, and then try others first.
 * - `end`: the single event is at fault.
 */
export type Verdict =
  | 'accept'
  | 'retry'
  | 'again'
  | 'pause'
  | 'drop'
  | 'halve'
  | 'halve-later'
  | 'shrink'
  | 'suspect'
  | 'doubt'
  | 'end';

/** @param rule What the table says about the outcome. */
export function judge({ action, suspect }: Rule, status: number, state: State): Verdict {
  const { count, finding, refusals } = state;
  const isSingle = count === 1;
  if (action === 'pause') {
    if (finding === undefined) return 'pause';
    if (finding === 'doubted') return 'doubt';
    if (isSingle) return finding === 'proven' && suspect === 'ends' ? 'end' : 'suspect';
    return finding === 'first' && !state.isHalf ? 'suspect' : 'halve-later';
  }
  if (action !== 'split' && action !== 'isolate') return action;
  if (!isSingle) return action === 'split' ? 'shrink' : 'halve';
  // If the service accepted a larger body lately, another server may have answered.
  const isTooLarge = action === 'split' && (refusals.length > 0 || !state.tookAsLarge);
  const isRepeated = refusals.includes(status) || refusals.length + 1 >= MOST_REFUSALS;
  return isTooLarge || isRepeated || state.isBlamed ? 'end' : 'again';
}
