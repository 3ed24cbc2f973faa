import type { PauseReason } from '../tell/stats.ts';

/**
 * What the sender does with an answer:
 * - `accept`: the service has the events; release them.
 * - `retry`: send the same bytes again, later.
 * - `split`: the body is too large; send it in halves. One event alone that is too large becomes a dead letter.
 * - `isolate`: an event is at fault; send halves to find it. One event refused twice the same way becomes a dead letter.
 * - `pause`: nothing is wrong with the events; keep all, and ask again from time to time. Where others are accepted, the table's own
 *   entries ask again with this batch alone, and then look for the event at fault.
 * - `drop`: nobody wants the events; drop them, and say so. Never done unless a policy asks for it.
 */
export type Action = 'accept' | 'retry' | 'split' | 'isolate' | 'pause' | 'drop';

/** What the sender does with an answer, and how. */
export interface Rule {
  readonly action: Action;
  /** Whether it takes its time: an address does not mend itself soon, and odd refusals are not worth many requests. */
  readonly isSlow?: true;
  /** Whether the service says by this that it is sent too much: from then on it is sent less. */
  readonly isPushback?: true;
  /** Whether it works: nothing but the rate is wrong. */
  readonly isAlive?: true;
  /** Whether it may have taken the events all the same: a gateway gives up on what goes on behind it. */
  readonly isAmbiguous?: boolean;
  /** Of a pause. Default: `policy`, which asked for it. */
  readonly reason?: PauseReason;
  /**
   * Whether a single event may be at fault, where the service accepts others: then the sender does not pause. `ends`: after
   * several refusals it is a dead letter. `waits`: it is kept whatever comes.
   */
  readonly suspect?: 'ends' | 'waits';
  /** Whether the user's policy says so: then it is done at once, and nothing is suspected. */
  readonly isAskedFor?: true;
}

/** Actions by status (`409`) or class (`5xx`). */
export type DeliveryPolicy = Readonly<Record<string, Action>>;

const MISDIRECTED: Rule = { action: 'pause', isSlow: true, reason: 'misdirected', suspect: 'ends' };
const UNAUTHORIZED: Rule = { action: 'pause', reason: 'unauthorized', suspect: 'waits' };
const ISOLATE: Rule = { action: 'isolate' };
const ODD: Rule = { action: 'isolate', isSlow: true };
/** Also of a status that HTTP does not know: it is kept and tried again. */
const AMBIGUOUS: Rule = { action: 'retry', isAmbiguous: true };

/** The delivery table: exact statuses first. The interface documents none: these are the safe readings of HTTP. */
const DELIVERY_TABLE: Readonly<Record<string, Rule>> = {
  '2xx': { action: 'accept' },
  '3xx': { ...MISDIRECTED, suspect: 'waits' },
  '400': ISOLATE,
  '401': UNAUTHORIZED,
  '403': { ...UNAUTHORIZED, suspect: 'ends' },
  '404': MISDIRECTED,
  '405': MISDIRECTED,
  '408': AMBIGUOUS,
  '409': ISOLATE,
  '410': MISDIRECTED,
  '413': { action: 'split' },
  '422': ISOLATE,
  '425': { action: 'retry' },
  '429': { action: 'retry', isPushback: true, isAlive: true },
  '4xx': ODD,
  '501': ODD,
  '503': { action: 'retry', isPushback: true },
  '5xx': AMBIGUOUS,
};

/** The rule for a status: the exact one before that of its class. What the policy names takes the place of the same name. */
export function ruleFor(status: number, policy: DeliveryPolicy = {}): Rule {
  for (const name of [String(status), `${Math.floor(status / 100)}xx`]) {
    const rule = DELIVERY_TABLE[name];
    const action = Object.hasOwn(policy, name) ? policy[name] : undefined;
    if (action !== undefined) return { ...rule, action, isAskedFor: true };
    if (rule !== undefined) return rule;
  }
  return AMBIGUOUS;
}

/** An answer that says that it is accepted, but is not the service's: nobody has the events. */
export const INTERCEPTED: Rule = { action: 'pause', reason: 'intercepted', suspect: 'waits' };
