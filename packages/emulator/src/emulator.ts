import type { Customer } from '@sluice/protocol';
import type { BehaviourChange, RequestRow } from './admin/contract.ts';
import type { WaitOptions } from './awaited-events.ts';
import type { Behaviour } from './behaviour.ts';
import type { Fault, Script } from './faults/fault.ts';
import type { FaultHandle } from './faults/fault-handle.ts';
import type { RequestOutcome } from './storage/request-store.ts';
import type {
  EventCounts,
  EventDimension,
  EventFilter,
  EventQuery,
  StoredEvent,
  ValueCount,
} from './tracked-events.ts';

/**
 * A running emulator of the service. Made by `startEmulator()`.
 *
 * Everything that touches what is stored returns a promise; a change is made when its promise resolves. Wrong
 * arguments reject with `ConfigError`, a call after `close()` with a `SluiceError` of code `SLUICE_CLOSED`.
 */
export interface Emulator extends AsyncDisposable {
  /** `{base_url}` of the interface: the base address of event ingestion, without a trailing slash. */
  readonly baseUrl: string;
  /** `{api_url}` of the interface: the base address of reading a customer, without a trailing slash. */
  readonly apiUrl: string;
  /** Address of the pages: event tracker, audience, settings, requests, faults. It carries the token where one is needed. */
  readonly pagesUrl: string;
  /** The API key it started with. It stays the same after `revokeApiKey(emulator.apiKey)`, but is then refused. */
  readonly apiKey: string;
  /** Name of the attribute selected as primary key; null until one is selected. Both endpoints refuse until then. */
  readonly primaryKey: string | null;

  /**
   * Selects the attribute that identifies customers, as the audience section of the service does. Customers that lack
   * it stay stored, but are not found and get no events. Rejects with `ConfigError` if two customers share a value of it.
   */
  selectPrimaryKey(name: string): Promise<void>;

  /**
   * Adds customers, each an object with at least the primary key as a non-empty string. One with the same primary key
   * value is replaced whole. All or nothing. Events that came before their customer become attributed.
   * Resolves to how many were given. Rejects with `ConfigError` for a bad customer or while no primary key is selected.
   */
  addCustomers(customers: Iterable<Customer>): Promise<number>;

  /** The customer as the read endpoint answers it: the stored pairs and `primary_key`. Undefined where there is none. */
  customer(primaryKeyValue: string): Promise<Customer | undefined>;

  /** Makes one more API key and resolves to it. `name` tells keys apart, default `'unnamed'`. */
  createApiKey(name?: string): Promise<string>;

  /** Makes an API key invalid at once. Resolves to whether there was such a key. */
  revokeApiKey(key: string): Promise<boolean>;

  /** The stored events that match, in the order they arrived. */
  events(query?: EventQuery): Promise<StoredEvent[]>;

  /**
   * The stored events that match, in the order they arrived, once there are at least `count` of them; an event whose uuid
   * comes again counts once. Rejects with `MissingEventsError` where they do not come in time: it says how many did, which
   * names there are, and why the latest refused request was.
   */
  waitForEvents(count: number, options?: WaitOptions): Promise<StoredEvent[]>;

  /** How many of the events that match are stored, and how many were received, repeats included. */
  countEvents(filter?: EventFilter): Promise<EventCounts>;

  /** The most frequent values over the unique events that match, most frequent first. `limit`: default 10. */
  countBy(dimension: EventDimension, limit?: number, filter?: EventFilter): Promise<ValueCount[]>;

  /**
   * The requests that both endpoints were sent, the newest first, with the reason for each that was refused: what one needs
   * when nothing arrives. `limit`: default 100. `outcome`: only those that were `taken`, `refused`, or met a `fault`.
   */
  requests(query?: { readonly limit?: number; readonly outcome?: RequestOutcome }): Promise<RequestRow[]>;

  /** How the service answers where the interface document does not show it. */
  readonly behaviour: Behaviour;

  /**
   * Changes how it answers, for requests from now on: all that is not named is as the preset has it, and the preset is the
   * one that it has unless one is named. A data directory keeps it. Resolves to what holds then. Rejects with `ConfigError`
   * for a setting that is wrong.
   */
  changeBehaviour(change: BehaviourChange): Promise<Behaviour>;

  /**
   * Switches a fault on, or a script: faults in order. What it gives ends it: `stop()`, or `using` at the end of the block.
   * Throws `ConfigError` for a fault that is wrong.
   */
  fail(fault: Fault | Script | readonly Fault[]): FaultHandle;

  /**
   * Takes the service away: closes both ports and cuts every connection, so that clients see a refused connection.
   * What is stored stays, and can be queried. Nothing happens if it is away already.
   */
  suspend(): Promise<void>;

  /** Brings the service back on the same ports. Rejects with `ConfigError` if one of them was taken meanwhile. */
  resume(): Promise<void>;

  /**
   * Ends the emulator: requests under way have half a second to end, then connections are cut. Without a data
   * directory, everything stored is gone. A second call does nothing.
   */
  close(): Promise<void>;
}
