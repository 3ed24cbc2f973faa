import type { Customer } from '@sluice/protocol';
import type { BehaviourChange, RequestRow } from '../admin/contract.ts';
import type { Behaviour } from '../behaviour/behaviour.ts';
import type {
  EventCounts,
  EventDimension,
  EventFilter,
  EventQuery,
  StoredEvent,
  ValueCount,
} from '../events/tracked-events.ts';
import type { Fault, Script } from '../faults/fault.ts';
import type { FaultHandle } from '../faults/fault-handle.ts';
import type { WaitOptions } from '../inspection/awaited-events.ts';
import type { RequestOutcome } from '../storage/request-store.ts';
import type { ClearOptions } from './account.ts';

/**
 * A running emulator of the service, created by `startEmulator()`.
 *
 * Every method that uses stored data returns a promise. A change is complete when its promise resolves. A wrong argument rejects
 * with `ConfigError`. A call after `close()` rejects with a `SluiceError` of code `SLUICE_CLOSED`.
 */
export interface Emulator extends AsyncDisposable {
  /** `{base_url}` of the interface: the base address of event ingestion, without a trailing slash. */
  readonly baseUrl: string;
  /** `{api_url}` of the interface: the base address of reading a customer, without a trailing slash. */
  readonly apiUrl: string;
  /** Address of the pages: event tracker, audience, settings, requests, faults. It contains the token if one is needed. */
  readonly pagesUrl: string;
  /**
   * The API key that it started with. It stays the same after `revokeApiKey(emulator.apiKey)`, but the emulator then refuses it.
   */
  readonly apiKey: string;
  /**
   * Name of the attribute selected as primary key; null until one is selected. Until then, both endpoints refuse all requests.
   */
  readonly primaryKey: string | null;

  /**
   * Selects the attribute that identifies customers, as in the audience section of the service. Customers without it stay stored,
   * but they are not found and get no events. Rejects with `ConfigError` if two customers have the same value of it.
   */
  selectPrimaryKey(name: string): Promise<void>;

  /**
   * Adds customers: all, or none if one is wrong. Each is an object with at least the primary key, as a non-empty string. A
   * customer with the same primary key value is replaced completely. Events that arrived before their customer become attributed.
   * Resolves to how many customers were passed in. Rejects with `ConfigError` for a wrong customer, or if no primary key is
   * selected.
   */
  addCustomers(customers: Iterable<Customer>): Promise<number>;

  /** The stored attributes of a customer, and `primary_key`. Undefined if there is no such customer. */
  customer(primaryKeyValue: string): Promise<Customer | undefined>;

  /** Creates another API key and resolves to it. `name` helps to tell keys apart, default `'unnamed'`. */
  createApiKey(name?: string): Promise<string>;

  /** Makes an API key invalid at once. Resolves to whether it was valid. */
  revokeApiKey(key: string): Promise<boolean>;

  /** The stored events that match, in order of arrival. */
  events(query?: EventQuery): Promise<StoredEvent[]>;

  /**
   * Waits until at least `count` stored events match, and resolves to them in order of arrival. An event whose uuid arrives again
   * counts once. If the events do not arrive in time, it rejects with `MissingEventsError`: that tells how many arrived, which
   * names there are, and why the latest refused request was refused.
   */
  waitForEvents(count: number, options?: WaitOptions): Promise<StoredEvent[]>;

  /** Counts the matching events: how many are stored, and how many were received, repeats included. */
  countEvents(filter?: EventFilter): Promise<EventCounts>;

  /** The most frequent values among the unique events that match, most frequent first. `limit`: default 10. */
  countBy(dimension: EventDimension, limit?: number, filter?: EventFilter): Promise<ValueCount[]>;

  /**
   * The requests to both endpoints, newest first, with the reason for each refusal. Look here if no event arrives. `limit`:
   * default 100. `outcome`: only requests that were `taken` or `refused`, or on which a `fault` acted.
   */
  requests(query?: { readonly limit?: number; readonly outcome?: RequestOutcome }): Promise<RequestRow[]>;

  /**
   * Deletes all events and requests, and ends all faults: for one emulator that many tests share. API keys, the primary key and the
   * behaviour stay, and so do customers, unless `customers` is true.
   *
   * @example beforeEach(() => emulator.clear());
   */
  clear(options?: ClearOptions): Promise<void>;

  /** How the service answers where the interface document is silent. */
  readonly behaviour: Behaviour;

  /**
   * Changes the behaviour for later requests. Settings that the change does not name are those of the preset. If it names no
   * preset, the current one stays. A data directory stores the choice. Resolves to the new behaviour. Rejects with `ConfigError`
   * for a wrong setting.
   */
  changeBehaviour(change: BehaviourChange): Promise<Behaviour>;

  /**
   * Switches on a fault, or a script: faults in order. To end it, call `stop()` of the returned handle, or declare the handle
   * with `using`: then it ends with the block. Throws `ConfigError` for a wrong fault.
   */
  fail(fault: Fault | Script | readonly Fault[]): FaultHandle;

  /**
   * Takes the service away: closes both ports and cuts every connection, so that clients see a refused connection. Stored data
   * stays, and can be queried. Does nothing if the service is already suspended.
   */
  suspend(): Promise<void>;

  /** Brings the service back on the same ports. Rejects with `ConfigError` if one of them was taken meanwhile. */
  resume(): Promise<void>;

  /**
   * Ends the emulator. Pending requests have half a second to end, then connections are cut. Without a data directory, all stored
   * data is lost. A second call does nothing.
   */
  close(): Promise<void>;
}
