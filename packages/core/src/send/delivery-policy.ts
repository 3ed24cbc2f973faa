import type { PauseReason } from '../tell/stats.ts';
import { isIntercepted, type Outcome } from './http/transport.ts';

/**
 * What the sender does with an answer:
 * - `accept`: the service has the events; release them.
 * - `retry`: send the same bytes again later.
 * - `split`: the body is too large; send it in halves. A single event that is too large becomes a dead letter.
 * - `isolate`: an event is at fault; send halves to find it. A single event becomes a dead letter once chance cannot explain its
 *   refusals, and other events were accepted.
 * - `pause`: the events are not at fault; keep all, and ask again from time to time. If the service accepts other batches, the
 *   table's own entries first ask again with this batch alone, and then look for the event at fault.
 * - `drop`: nobody wants the events; drop them and report it. Only done if a policy asks for it.
 */
export type Action = 'accept' | 'retry' | 'split' | 'isolate' | 'pause' | 'drop';

export interface Rule {
  readonly action: Action;
  /** Whether the service says that it gets too many requests. Then Sluice sends fewer. */
  readonly isPushback?: true;
  /** Whether the service works and only the rate of requests is wrong. */
  readonly isAlive?: true;
  /** Whether the service may have taken the events anyway: a gateway may give up while the service behind it goes on. */
  readonly isAmbiguous?: boolean | undefined;
  /** The reason of a pause. */
  readonly reason: PauseReason;
  /** Whether a single event that gets this answer again and again, while others are accepted, becomes a dead letter. */
  readonly endsEvent?: boolean;
  /** Whether the action is done at once, whatever the answers to other requests say. */
  readonly isAskedFor?: true;
}

/** Actions by status (`409`) or class (`5xx`). */
export type DeliveryPolicy = Readonly<Record<string, Action>>;

/** The address may be wrong, or the event may be at fault. */
const WRONG_ADDRESS: Rule = { action: 'pause', reason: 'wrong-address', endsEvent: true };
/** Something between us and the service, or a rule about clients: never the fault of an event. */
const OURS: Rule = { action: 'pause', reason: 'wrong-address' };
const UNAUTHORIZED: Rule = { action: 'pause', reason: 'unauthorized' };
/** The service calls the events wrong. */
export const WRONG: Rule = { action: 'isolate', reason: 'refused', endsEvent: true };
/** The service cannot answer now. */
export const AWAY: Rule = { action: 'retry', reason: 'unavailable' };
/** Also for a status that HTTP does not define: the batch is kept and retried. */
const AMBIGUOUS: Rule = { ...AWAY, isAmbiguous: true };

/** The delivery table. The interface documents no statuses: these are safe readings of HTTP. */
const DELIVERY_TABLE: Readonly<Record<string, Rule>> = {
  '2xx': { action: 'accept', reason: 'policy' },
  '3xx': OURS,
  '401': UNAUTHORIZED,
  '402': UNAUTHORIZED,
  '403': { ...UNAUTHORIZED, endsEvent: true },
  '404': WRONG_ADDRESS,
  '405': WRONG_ADDRESS,
  '407': OURS,
  '408': AMBIGUOUS,
  '410': WRONG_ADDRESS,
  '413': { ...WRONG, action: 'split' },
  '421': OURS,
  '425': AWAY,
  '426': OURS,
  '429': { ...AWAY, isPushback: true, isAlive: true },
  '431': OURS,
  '451': WRONG_ADDRESS,
  '4xx': WRONG,
  '501': WRONG,
  '503': { ...AWAY, isPushback: true },
  '5xx': AMBIGUOUS,
};

/** The rule for a status. An exact status comes before its class. A policy entry replaces the table's entry of the same name. */
export function ruleFor(status: number, policy: DeliveryPolicy = {}): Rule {
  for (const name of [String(status), `${Math.floor(status / 100)}xx`]) {
    const rule = DELIVERY_TABLE[name];
    const action = policy[name];
    if (action === 'retry')
      return { ...rule, action, endsEvent: false, reason: 'unavailable', isAskedFor: true };
    if (action)
      return { action, endsEvent: true, reason: 'policy', isAskedFor: true, isAmbiguous: rule?.isAmbiguous };
    if (rule) return rule;
  }
  return AMBIGUOUS;
}

/** Something on this side blocks the request. */
const BLOCKED: Rule = { action: 'pause', reason: 'blocked', isAskedFor: true };
/** For an accepting answer that is not the service's: nobody has the events. */
const INTERCEPTED: Rule = { action: 'pause', reason: 'intercepted' };

/** The rule for an outcome. An accepting answer that is not the service's accepts nothing, unless the user's policy says so. */
export function ruleOf(outcome: Outcome, policy: DeliveryPolicy): Rule {
  if (outcome.kind === 'failed')
    return outcome.isBlocked ? BLOCKED : { ...AWAY, isAmbiguous: outcome.maybeSent };
  const rule = ruleFor(outcome.status, policy);
  return rule.action === 'accept' && !rule.isAskedFor && isIntercepted(outcome) ? INTERCEPTED : rule;
}
