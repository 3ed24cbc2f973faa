import { type Customer, SluiceError } from '@sluice/protocol';
import { systemClock } from '@sluice/protocol/toolbox';
import type { TrackerEvent } from '../admin/contract.ts';
import { Audience } from '../customers/audience.ts';
import { Arrivals } from '../events/arrivals.ts';
import { RequestContents } from '../events/request-contents.ts';
import type { ReceivedEvent } from '../events/tracked-events.ts';
import { Search } from '../search/search.ts';
import { SearchEngine } from '../search/search-engine.ts';
import { ApiKeyStore } from '../storage/api-key-store.ts';
import { readSeedFile } from '../storage/customers/seed-file.ts';
import { DataDirectory, unusable } from '../storage/data-directory.ts';
import { closeDatabase, type Database, inTransaction, openDatabase } from '../storage/database.ts';
import { readEventDetails } from '../storage/events/event-details.ts';
import { type BatchOutcome, EventStore } from '../storage/events/event-store.ts';
import { type KeptRequest, RequestStore } from '../storage/request-store.ts';
import { Retention, type RetentionLimits } from '../storage/retention.ts';
import { SettingsStore } from '../storage/settings-store.ts';

/** Settings of an account. */
export interface AccountSettings {
  /** Directory that stores the account. Without one, the account is in memory. */
  readonly data?: string | undefined;
  /** Whether to delete first what an emulator stored in the directory. */
  readonly reset?: boolean | undefined;
  readonly limits?: RetentionLimits | undefined;
}

/** What `clear()` deletes besides events and requests. */
export interface ClearOptions {
  /** Whether to delete all customers, too. Default false. */
  readonly customers?: boolean | undefined;
}

const NO_LIMITS: RetentionLimits = { maxEvents: undefined, maxAgeMs: undefined, maxRequests: 200_000 };
const SEED_BATCH = 500;
// A larger batch is stored in turns, so that other requests need not wait for all of it.
const MOST_AT_ONCE = 5_000;

/** The account that the emulator serves: its API keys, its primary key, its customers and its event tracker. */
export class Account {
  readonly apiKeys: ApiKeyStore;
  readonly events: EventStore;
  readonly settings: SettingsStore;
  readonly audience: Audience;
  readonly requests: RequestStore;
  /** What the latest requests contain. */
  readonly contents: RequestContents = new RequestContents();
  /** Wakes callers that wait for events. */
  readonly arrivals: Arrivals = new Arrivals();
  readonly search: Search;
  readonly #database: Database;
  readonly #directory: DataDirectory | undefined;
  readonly #retention: Retention;
  #clearings = 0;
  #isClosed = false;

  /** Opens the account in the directory, or a new one in memory. Throws errors of code `SLUICE_STORAGE`. */
  constructor({ data, reset = false, limits = NO_LIMITS }: AccountSettings = {}) {
    const directory = data === undefined ? undefined : new DataDirectory(data, reset);
    this.#directory = directory;
    try {
      const database = openDatabase(directory?.path);
      this.#database = database;
      this.apiKeys = new ApiKeyStore(database);
      this.events = new EventStore(database, () => this.search.changed());
      this.search = new Search(
        () => new SearchEngine(database),
        () => this.events.totals,
      );
      this.settings = new SettingsStore(database);
      this.audience = new Audience(database, this.settings);
      this.requests = new RequestStore(database);
      this.#retention = new Retention(this.events, this.requests, limits, systemClock);
      this.#retention.start();
    } catch (error) {
      directory?.close();
      throw data === undefined ? error : unusable(data, error);
    }
  }

  /** The selected primary key, or null. */
  get primaryKey(): string | null {
    return this.audience.primaryKey;
  }

  /**
   * Selects a primary key. Throws {@link ConfigError} if `name` is not a non-empty string, or if two customers have the same
   * value of it.
   */
  selectPrimaryKey(name: unknown): void {
    this.audience.selectPrimaryKey(name);
  }

  /** Adds or replaces all of these customers, or none. Returns how many were passed in. Throws {@link ConfigError}. */
  addCustomers(customers: Iterable<unknown>): number {
    return this.audience.addCustomers(customers);
  }

  /** The customer as the interface returns it (section 2.3); undefined if there is none. */
  customer(primaryKeyValue: string): Customer | undefined {
    return this.audience.customer(primaryKeyValue);
  }

  /** Stores a batch together with its request: both, or neither. Returns the id of the request, too. */
  async ingest(
    batch: readonly ReceivedEvent[],
    request: (outcome: BatchOutcome) => KeptRequest,
  ): Promise<BatchOutcome & { readonly requestId: number }> {
    using staging = batch.length > MOST_AT_ONCE ? await this.events.stage(batch) : undefined;
    this.checkOpen();
    try {
      return inTransaction(this.#database, () => {
        const { next } = this.requests;
        const stored =
          staging === undefined ? this.events.add(batch, next) : this.events.addStaged(staging, batch, next);
        return { ...stored, requestId: this.requests.add(request(stored)) };
      });
    } catch (error) {
      this.events.reload();
      throw error;
    } finally {
      this.arrivals.tell();
    }
  }

  /** Stores a request without events, and returns its id. If the account is closed, does nothing: a request may end after that. */
  keepRequest(request: KeptRequest): number | undefined {
    return this.#database.open ? this.requests.add(request) : undefined;
  }

  /** All details of one event; undefined if there is none. */
  trackedEvent(id: number): TrackerEvent | undefined {
    const details = readEventDetails(this.#database, id);
    if (details === undefined) return undefined;
    const { requestId, ...event } = details;
    const request = requestId === null ? undefined : this.requests.get(requestId);
    const customer = event.attributed ? this.customer(event.correlationValue) : undefined;
    return { ...event, request: request ?? null, customer: customer ?? null };
  }

  /** Deletes all events and requests, and if `customers` is true all customers. */
  clear({ customers }: ClearOptions): void {
    inTransaction(this.#database, () => {
      this.events.removeBefore(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
      this.requests.removeBefore(this.requests.next, Number.POSITIVE_INFINITY);
      if (customers === true) this.audience.clear();
    });
    this.contents.clear();
    this.#clearings += 1;
  }

  /** How often everything was deleted. */
  get clearings(): number {
    return this.#clearings;
  }

  /** Throws a `SluiceError` of code `SLUICE_CLOSED` if the account is closed. */
  checkOpen(): void {
    if (this.#isClosed) throw closedError();
  }

  /**
   * Loads all events of a file, or none if one is wrong. Returns how many. If the account has ever stored an event, it loads
   * nothing and returns undefined. Throws {@link ConfigError}.
   */
  seed(path: string): number | undefined {
    if (this.events.totals.newest > 0) return undefined;
    try {
      return inTransaction(this.#database, () => {
        let batch: ReceivedEvent[] = [];
        for (const event of readSeedFile(path)) {
          batch.push(event);
          if (batch.length < SEED_BATCH) continue;
          this.events.add(batch, null);
          batch = [];
        }
        if (batch.length > 0) this.events.add(batch, null);
        return this.events.totals.received;
      });
    } catch (error) {
      this.events.reload();
      throw error;
    }
  }

  /** Stops retention and search, closes the database and releases the directory. Wakes callers that wait for events. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.arrivals.tell();
    this.#retention.stop();
    this.search.close();
    closeDatabase(this.#database);
    this.#directory?.close();
  }
}

/** The error for using a closed emulator. */
export function closedError(): SluiceError {
  return new SluiceError('SLUICE_CLOSED', 'The emulator is closed: start another with startEmulator().');
}
