import { oneOf, type Rule, refusal } from '@sluice/protocol';

const POLICY = 'delivery.policy';
const STATUS_OR_CLASS = /^[2-5](?:\d\d|xx)$/;
const [isAction, allowed] = oneOf('retry', ['accept', 'retry', 'split', 'isolate', 'pause', 'drop']);

/** Checks `delivery.policy`. */
export interface PolicyPart {
  readonly rule: Rule;
}

/** For pages: `createTracker({ delivery: { policy: … }, parts: { policy } })`. In Node a tracker has this already. */
export const policy: PolicyPart = { rule: [isPolicy, 'an object of actions by status', {}] };

/** Whether it is a policy. Throws a ConfigError for an unknown status or action. */
function isPolicy(given: unknown): boolean {
  if (typeof given !== 'object' || given === null || !isPlain(given)) return false;
  for (const [status, action] of Object.entries(given)) {
    if (!STATUS_OR_CLASS.test(status)) {
      throw refusal(POLICY, 'keyed by status (200 to 599) or class (2xx to 5xx)', status);
    }
    if (!isAction(action)) throw refusal(`${POLICY}[${status}]`, allowed, action);
  }
  return true;
}

/** Not an array, a Map, or anything else that may keep its entries elsewhere. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
