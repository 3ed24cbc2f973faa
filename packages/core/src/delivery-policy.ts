import { refusal } from '@sluice/protocol';
import type { PauseReason } from './stats.ts';

/**
 * What the sender does with an answer:
 * - `accept`: the service has the events; release them.
 * - `retry`: send the same bytes again, later.
 * - `split`: the body is too large; send it in halves. One event alone that is too large becomes a dead letter.
 * - `isolate`: an event is at fault; send halves to find it. One event refused twice the same way becomes a dead letter.
 * - `pause`: nothing is wrong with the events; keep all, and ask again from time to time.
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
  readonly isAmbiguous?: true;
}

/** Actions by status (`409`) or class (`5xx`). */
export type DeliveryPolicy = Readonly<Record<string, Action>>;

/** The delivery table: exact statuses first. The interface documents none: these are the safe readings of HTTP. */
const DELIVERY_TABLE: Readonly<Record<string, Rule>> = {
  '2xx': { action: 'accept' },
  '3xx': { action: 'pause', isSlow: true },
  '400': { action: 'isolate' },
  '401': { action: 'pause' },
  '403': { action: 'pause' },
  '404': { action: 'pause', isSlow: true },
  '405': { action: 'pause', isSlow: true },
  '408': { action: 'retry', isAmbiguous: true },
  '409': { action: 'isolate' },
  '410': { action: 'pause', isSlow: true },
  '413': { action: 'split' },
  '422': { action: 'isolate' },
  '425': { action: 'retry' },
  '429': { action: 'retry', isPushback: true, isAlive: true },
  '4xx': { action: 'isolate', isSlow: true },
  '501': { action: 'isolate', isSlow: true },
  '503': { action: 'retry', isPushback: true },
  '5xx': { action: 'retry', isAmbiguous: true },
};

/** A status that HTTP does not know is kept and tried again. */
const UNKNOWN: Rule = { action: 'retry', isAmbiguous: true };
const ACTIONS: readonly string[] = [
  'accept',
  'retry',
  'split',
  'isolate',
  'pause',
  'drop',
] satisfies Action[];
const POLICY = 'delivery.policy';
const STATUS_OR_CLASS = /^[2-5](?:\d\d|xx)$/;

/** The rule for a status: the exact one before that of its class. What the policy names takes the place of the same name. */
export function ruleFor(status: number, policy: DeliveryPolicy = {}): Rule {
  for (const name of [String(status), `${Math.floor(status / 100)}xx`]) {
    const rule = DELIVERY_TABLE[name];
    const action = Object.hasOwn(policy, name) ? policy[name] : undefined;
    if (action !== undefined) return { ...rule, action };
    if (rule !== undefined) return rule;
  }
  return UNKNOWN;
}

/** Why a status pauses. */
export function pauseReason(status: number): PauseReason {
  if (status === 401 || status === 403) return 'unauthorized';
  const isMisdirected = Math.floor(status / 100) === 3 || [404, 405, 410].includes(status);
  return isMisdirected ? 'misdirected' : 'policy';
}

/** Whether it is a policy. Throws a ConfigError for a status or an action that there is not. */
export function isPolicy(given: unknown): given is DeliveryPolicy {
  if (typeof given !== 'object' || given === null || !isPlain(given)) return false;
  for (const [status, action] of Object.entries(given)) {
    if (!STATUS_OR_CLASS.test(status)) {
      throw refusal(POLICY, 'by a status from 200 to 599, or a class from 2xx to 5xx', status);
    }
    if (!ACTIONS.includes(action)) {
      const allowed = ACTIONS.map((name) => `"${name}"`).join(', ');
      throw refusal(`${POLICY}[${status}]`, `one of ${allowed}`, action);
    }
  }
  return true;
}

/** Not an array, a Map, or anything else of which the entries may be elsewhere. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
