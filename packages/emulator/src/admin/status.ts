import type { Account } from '../account.ts';
import type { BehaviourSwitch } from '../behaviour-switch.ts';
import type { Faults } from '../faults/faults.ts';
import type { Status } from './contract.ts';

/** Where an emulator is, and what it is made of. */
export interface Subject {
  readonly account: Account;
  readonly behaviour: BehaviourSwitch;
  readonly faults: Faults;
  readonly data: string | undefined;
  readonly startedAt: string;
  readonly baseUrl: string;
  readonly apiUrl: string;
}

/** What is to be known of an emulator now. Costs nothing that grows with what is stored: pages ask all the time. */
export function statusOf({ account, behaviour, faults, data, startedAt, baseUrl, apiUrl }: Subject): Status {
  const { unique, received, newest, oldest } = account.events.totals;
  const { preset, isChanged } = behaviour.state;
  return {
    baseUrl,
    apiUrl,
    primaryKey: account.primaryKey,
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
  };
}
