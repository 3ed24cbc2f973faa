import type { BehaviourSwitch } from '../behaviour/behaviour-switch.ts';
import type { Faults } from '../faults/faults.ts';
import type { Account } from '../running/account.ts';
import type { Status } from './contract.ts';

/** The emulator whose status is read. */
export interface Subject {
  readonly account: Account;
  readonly behaviour: BehaviourSwitch;
  readonly faults: Faults;
  readonly data: string | undefined;
  readonly startedAt: string;
  readonly baseUrl: string;
  readonly apiUrl: string;
}

/** Returns the current status. The cost does not grow with the stored data, because pages ask all the time. */
export function statusOf({ account, behaviour, faults, data, startedAt, baseUrl, apiUrl }: Subject): Status {
  const { unique, received, newest, oldest } = account.events.totals;
  const { preset, isChanged } = behaviour.state;
  return {
    baseUrl,
    apiUrl,
    primaryKey: account.primaryKey,
    hasCustomers: account.audience.hasCustomers,
    audience: account.audience.changes,
    preset,
    isPresetChanged: isChanged,
    data: data ?? null,
    startedAt,
    unique,
    received,
    newestEvent: newest,
    oldestEvent: unique === 0 ? 0 : oldest,
    newestRequest: account.requests.newest,
    unindexed: newest - Math.max(account.search.indexed, oldest - 1),
    activeFaults: faults.active,
    clearings: account.clearings,
  };
}
