import { ConfigError, type Customer } from '@sluice/protocol';
import { describe, flag, readRules, systemClock } from '@sluice/protocol/toolbox';
import type { BehaviourChange, RequestRow } from '../admin/contract.ts';
import type { LiveFeed } from '../admin/routes/live-routes.ts';
import type { Behaviour } from '../behaviour/behaviour.ts';
import type { BehaviourSwitch } from '../behaviour/behaviour-switch.ts';
import { checkNames } from '../behaviour/known-names.ts';
import {
  checkCount,
  checkFilter,
  checkQuery,
  type EventCounts,
  type EventDimension,
  type EventFilter,
  type EventQuery,
  type StoredEvent,
  type ValueCount,
} from '../events/tracked-events.ts';
import type { Fault, Script } from '../faults/fault.ts';
import { FaultHandle } from '../faults/fault-handle.ts';
import type { Faults } from '../faults/faults.ts';
import type { Listener } from '../http/listener.ts';
import { awaitEvents, type WaitOptions } from '../inspection/awaited-events.ts';
import type { EventRow } from '../storage/events/event-store.ts';
import type { RequestOutcome } from '../storage/request-store.ts';
import { type Account, type ClearOptions, closedError } from './account.ts';
import type { Emulator } from './emulator.ts';
import { checkIterable } from './options.ts';

const CLOSE_GRACE_MS = 500;
const DEFAULT_VALUES = 10;
const CLEAR_RULES = { customers: flag(false) };

/** The parts of a running emulator. */
export interface Parts {
  readonly account: Account;
  readonly behaviour: BehaviourSwitch;
  readonly faults: Faults;
  readonly apiKey: string;
  /** The operator's token, if one is needed. */
  readonly token: string | undefined;
  /** The live feed of the pages. */
  readonly live: LiveFeed;
  /** Listens for event ingestion. */
  readonly events: Listener;
  /** Listens for reading customers, for inspection and for the pages. */
  readonly api: Listener;
}

/** The emulator that the user gets: two listeners on one account. */
export class RunningEmulator implements Emulator {
  readonly #parts: Parts;
  #closed: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get baseUrl(): string {
    return this.#parts.events.url;
  }

  get apiUrl(): string {
    return this.#parts.api.url;
  }

  get pagesUrl(): string {
    const { token } = this.#parts;
    return token === undefined ? `${this.apiUrl}/` : `${this.apiUrl}/?token=${encodeURIComponent(token)}`;
  }

  get apiKey(): string {
    return this.#parts.apiKey;
  }

  get primaryKey(): string | null {
    return this.#account.primaryKey;
  }

  async selectPrimaryKey(name: string): Promise<void> {
    this.#account.selectPrimaryKey(name);
  }

  async addCustomers(customers: Iterable<Customer>): Promise<number> {
    checkIterable('customers', customers);
    return this.#account.addCustomers(customers);
  }

  async customer(primaryKeyValue: string): Promise<Customer | undefined> {
    checkString('primaryKeyValue', primaryKeyValue);
    return this.#account.customer(primaryKeyValue);
  }

  async createApiKey(name = 'unnamed'): Promise<string> {
    checkString('name', name);
    return this.#account.apiKeys.create(name);
  }

  async revokeApiKey(key: string): Promise<boolean> {
    return this.#account.apiKeys.revoke(key);
  }

  async events(query: EventQuery = {}): Promise<StoredEvent[]> {
    checkQuery(query);
    return this.#account.events.find(query).map(toStoredEvent);
  }

  async waitForEvents(count: number, options: WaitOptions = {}): Promise<StoredEvent[]> {
    const rows = await awaitEvents(this.#account, systemClock, count, options);
    return rows.map(toStoredEvent);
  }

  async countEvents(filter: EventFilter = {}): Promise<EventCounts> {
    checkFilter(filter);
    return this.#account.events.count(filter);
  }

  async countBy(
    dimension: EventDimension,
    limit: number = DEFAULT_VALUES,
    filter: EventFilter = {},
  ): Promise<ValueCount[]> {
    if (dimension !== 'event' && dimension !== 'correlationValue') {
      const rule = 'must be "event" or "correlationValue"';
      throw new ConfigError('dimension', `dimension ${rule}, got ${describe(dimension)}`);
    }
    checkCount('limit', limit);
    checkFilter(filter);
    return this.#account.events.countBy(dimension, limit, filter);
  }

  async requests(
    query: { readonly limit?: number; readonly outcome?: RequestOutcome } = {},
  ): Promise<RequestRow[]> {
    checkNames('query', query, ['limit', 'outcome']);
    const { limit, outcome } = query;
    if (limit !== undefined) checkCount('limit', limit);
    return [...this.#account.requests.list({ limit, outcome }).rows];
  }

  async clear(options: ClearOptions = {}): Promise<void> {
    readRules(CLEAR_RULES, 'options', options);
    this.#account.clear(options);
    this.#parts.faults.removeAll();
    await this.#parts.faults.settled;
  }

  get behaviour(): Behaviour {
    return this.#parts.behaviour.current;
  }

  async changeBehaviour(change: BehaviourChange): Promise<Behaviour> {
    this.#checkOpen();
    this.#parts.behaviour.change(change);
    return this.behaviour;
  }

  fail(fault: Fault | Script | readonly Fault[]): FaultHandle {
    this.#checkOpen();
    return new FaultHandle(this.#parts.faults, fault);
  }

  async suspend(): Promise<void> {
    this.#checkOpen();
    await this.#closeListeners(0);
  }

  async resume(): Promise<void> {
    this.#checkOpen();
    try {
      await Promise.all([this.#parts.events.open(), this.#parts.api.open()]);
    } catch (error) {
      await this.#closeListeners(0);
      throw error;
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    await this.#parts.faults.close();
    await this.#closeListeners(CLOSE_GRACE_MS);
    await this.#parts.account.close();
  }

  async #closeListeners(graceMs: number): Promise<void> {
    this.#parts.live.end(); // otherwise closing would wait for these streams
    await Promise.all([this.#parts.events.close(graceMs), this.#parts.api.close(graceMs)]);
  }

  get #account(): Account {
    this.#checkOpen();
    return this.#parts.account;
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw closedError();
  }
}

function checkString(name: string, value: unknown): void {
  if (typeof value === 'string') return;
  throw new ConfigError(name, `${name} must be a string, got ${describe(value)}`);
}

function toStoredEvent({ text, ...rest }: EventRow): StoredEvent {
  return { event: JSON.parse(text), ...rest };
}
