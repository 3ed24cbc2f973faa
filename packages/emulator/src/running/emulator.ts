import type { Customer } from '@sluice/protocol';
import { ANYTHING, oneOf, readRules, refusal, systemClock } from '@sluice/protocol/toolbox';
import type { BehaviourChange, RequestRow } from '../admin/contract.ts';
import type { LiveFeed } from '../admin/live-feed.ts';
import type { Behaviour } from '../behaviour/behaviour.ts';
import type { BehaviourSwitch } from '../behaviour/behaviour-switch.ts';
import { awaitEvents, type WaitOptions } from '../events/awaited-events.ts';
import type { EventCounts, EventDimension, StoredEvent, ValueCount } from '../events/tracked-events.ts';
import type { Fault, FaultHandle, Script } from '../faults/fault.ts';
import type { Faults } from '../faults/faults.ts';
import type { Listener } from '../http/listener.ts';
import {
  COUNT,
  conditionOf,
  type EventFilter,
  type EventQuery,
  readFilter,
  readQuery,
} from '../storage/event-filter.ts';
import type { EventRow } from '../storage/event-rows.ts';
import type { RequestOutcome } from '../storage/request-store.ts';
import { type Account, type ClearOptions, closedError } from './account.ts';

const CLOSE_GRACE_MS = 500;
const DEFAULT_VALUES = 10;
const COUNT_BY = { dimension: oneOf(['event', 'correlationValue']), limit: COUNT };
const REQUESTS = { limit: COUNT, outcome: ANYTHING };

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
  /** Listens for reading customers, for the pages and for their routes. */
  readonly api: Listener;
}

/**
 * A running emulator of the service, created by `startEmulator()`.
 *
 * Every method that uses stored data returns a promise. A change is complete when its promise resolves. A wrong argument rejects
 * with `ConfigError`. A call after `close()` rejects with a `SluiceError` of code `SLUICE_CLOSED`.
 */
export class Emulator implements AsyncDisposable {
  readonly #parts: Parts;
  #closed: Promise<void> | undefined;

  /** @internal */
  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `{base_url}` of the interface: the base address of event ingestion, without a trailing slash. */
  get baseUrl(): string {
    return this.#parts.events.url;
  }

  /** `{api_url}` of the interface: the base address of reading a customer, without a trailing slash. */
  get apiUrl(): string {
    return this.#parts.api.url;
  }

  /** Address of the pages: event tracker, audience, settings, requests, faults. It contains the token if one is needed. */
  get pagesUrl(): string {
    const { token } = this.#parts;
    return token === undefined ? `${this.apiUrl}/` : `${this.apiUrl}/?token=${encodeURIComponent(token)}`;
  }

  /**
   * The API key that it started with. It stays the same after `revokeApiKey(emulator.apiKey)`, but the emulator then refuses it.
   */
  get apiKey(): string {
    return this.#parts.apiKey;
  }

  /**
   * Name of the attribute selected as primary key; null until one is selected. Until then, both endpoints refuse all requests.
   */
  get primaryKey(): string | null {
    return this.#account.audience.primaryKey;
  }

  /**
   * Selects the attribute that identifies customers, as in the audience section of the service. Customers without it stay stored,
   * but they are not found and get no events. Rejects with `ConfigError` if two customers have the same value of it.
   */
  async selectPrimaryKey(name: string): Promise<void> {
    this.#account.audience.selectPrimaryKey(name);
  }

  /**
   * Adds customers: all, or none if one is wrong. Each is an object with at least the primary key, as a non-empty string. A
   * customer with the same primary key value is replaced completely. Events that arrived before their customer become attributed.
   * Resolves to how many customers were passed in. Rejects with `ConfigError` for a wrong customer, or if no primary key is
   * selected.
   */
  async addCustomers(customers: Iterable<Customer>): Promise<number> {
    return this.#account.audience.addCustomers(customers);
  }

  /** The stored attributes of a customer, and `primary_key`. Undefined if there is no such customer. */
  async customer(primaryKeyValue: string): Promise<Customer | undefined> {
    checkString('primaryKeyValue', primaryKeyValue);
    return this.#account.audience.customer(primaryKeyValue);
  }

  /** Creates another API key and resolves to it. `name` helps to tell keys apart, default `'unnamed'`. */
  async createApiKey(name = 'unnamed'): Promise<string> {
    checkString('name', name);
    return this.#account.apiKeys.create(name).key;
  }

  /** Makes an API key invalid at once. Resolves to whether it was valid. */
  async revokeApiKey(key: string): Promise<boolean> {
    return this.#account.apiKeys.revoke(key);
  }

  /** The stored events that match, in order of arrival. Events beyond `maxEvents` are no longer stored. */
  async events(query: EventQuery = {}): Promise<StoredEvent[]> {
    return this.#account.events.find(readQuery(query)).map(toStoredEvent);
  }

  /**
   * Waits until at least `count` stored events match, and resolves to them in order of arrival. An event whose uuid arrives again
   * counts once, and an event that was removed (`maxEvents`) no longer counts. If the events do not arrive in time, it rejects with `MissingEventsError`: that tells how many arrived, which
   * names there are, and why the latest refused request was refused.
   */
  async waitForEvents(count: number, options: WaitOptions = {}): Promise<StoredEvent[]> {
    const rows = await awaitEvents(this.#account, systemClock, count, options);
    return rows.map(toStoredEvent);
  }

  /**
   * Counts the matching events that are stored, and how often these were received, repeats included. An event that was removed
   * (`maxEvents`) no longer counts.
   */
  async countEvents(filter: EventFilter = {}): Promise<EventCounts> {
    return this.#account.events.count(readFilter(filter));
  }

  /** The most frequent values among the unique events that match, most frequent first. `limit`: default 10. */
  async countBy(
    dimension: EventDimension,
    limit: number = DEFAULT_VALUES,
    filter: EventFilter = {},
  ): Promise<ValueCount[]> {
    readRules(COUNT_BY, '', { dimension, limit });
    const field = dimension === 'event' ? 'name' : dimension;
    return this.#account.events.countBy(field, limit, conditionOf(readFilter(filter)));
  }

  /**
   * The requests to both endpoints, newest first, with the reason for each refusal. Look here if no event arrives. `limit`:
   * default 100. `outcome`: only requests that were `taken` or `refused`, or on which a `fault` acted.
   */
  async requests(
    query: { readonly limit?: number; readonly outcome?: RequestOutcome } = {},
  ): Promise<RequestRow[]> {
    return [...this.#account.requests.list(readRules(REQUESTS, '', query)).rows];
  }

  /**
   * Deletes all events and requests, and ends all faults: for one emulator that many tests share. API keys, the primary key and the
   * behaviour stay, and so do customers, unless `customers` is true.
   *
   * @example beforeEach(() => emulator.clear());
   */
  async clear(options: ClearOptions = {}): Promise<void> {
    this.#account.clear(options);
    await this.#parts.faults.remove();
  }

  /** How the service answers where the interface document is silent. */
  get behaviour(): Behaviour {
    return this.#parts.behaviour.current;
  }

  /**
   * Changes the behaviour for later requests. Settings that the change does not name are those of the preset. If it names no
   * preset, the current one stays. A data directory stores the choice. Resolves to the new behaviour. Rejects with `ConfigError`
   * for a wrong setting.
   */
  async changeBehaviour(change: BehaviourChange): Promise<Behaviour> {
    this.#checkOpen();
    this.#parts.behaviour.change(change);
    return this.behaviour;
  }

  /**
   * Switches on a fault, or a script: faults in order. To end it, call `stop()` of the returned handle, or declare the handle
   * with `using`: then it ends with the block. Throws `ConfigError` for a wrong fault.
   */
  fail(fault: Fault | Script | readonly Fault[]): FaultHandle {
    this.#checkOpen();
    return this.#parts.faults.add(fault);
  }

  /**
   * Takes the service away: closes both ports and cuts every connection, so that clients see a refused connection. Stored data
   * stays, and can be queried. Does nothing if the service is already suspended.
   */
  async suspend(): Promise<void> {
    this.#checkOpen();
    await this.#closeListeners(0);
  }

  /** Brings the service back on the same ports. Rejects with `ConfigError` if one of them was taken meanwhile. */
  async resume(): Promise<void> {
    this.#checkOpen();
    try {
      await Promise.all([this.#parts.events.open(), this.#parts.api.open()]);
    } catch (error) {
      await this.#closeListeners(0);
      throw error;
    }
  }

  /**
   * Ends the emulator. Pending requests have half a second to end, then connections are cut. Without a data directory, all stored
   * data is lost. A second call does nothing.
   */
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
  if (typeof value !== 'string') throw refusal(name, 'a string', value);
}

function toStoredEvent({ text, ...rest }: EventRow): StoredEvent {
  return { event: JSON.parse(text), ...rest };
}
