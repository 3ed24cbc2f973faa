import { type Customer, SluiceError } from '@sluice/protocol';
import type { TrackerEvent } from './admin/contract.ts';
import { Arrivals } from './arrivals.ts';
import { Audience } from './audience.ts';
import { systemClock } from './clock.ts';
import { type Logger, silentLogger } from './logger.ts';
import { openIndex } from './search/index-database.ts';
import { IndexedSearch } from './search/indexed-search.ts';
import { INLINE_AT_ONCE, InlineSearch } from './search/inline-search.ts';
import type { Search } from './search/search.ts';
import { SearchEngine } from './search/search-engine.ts';
import { ApiKeyStore } from './storage/api-key-store.ts';
import { DataDirectory, unusable } from './storage/data-directory.ts';
import { closeDatabase, type Database, inTransaction, openDatabase } from './storage/database.ts';
import { readEventDetails } from './storage/event-details.ts';
import { type BatchOutcome, EventStore, type ReceivedEvent } from './storage/event-store.ts';
import { type KeptRequest, RequestStore } from './storage/request-store.ts';
import { Retention, type RetentionLimits } from './storage/retention.ts';
import { readSeedFile } from './storage/seed-file.ts';
import { SettingsStore } from './storage/settings-store.ts';
import { UuidIndex } from './storage/uuid-index.ts';

/** What an account is made with. */
export interface AccountSettings {
  /** Directory that keeps it; without one, memory does. */
  readonly data?: string | undefined;
  /** Whether what is in the directory is deleted first. */
  readonly reset?: boolean | undefined;
  readonly limits?: RetentionLimits | undefined;
  readonly logger?: Logger | undefined;
}

const NO_LIMITS: RetentionLimits = { maxEvents: undefined, maxAgeMs: undefined, maxRequests: 200_000 };
const SEED_BATCH = 500;

/** The account that the emulator serves: its API keys, its primary key, its customers and its event tracker. */
export class Account {
  readonly apiKeys: ApiKeyStore;
  readonly events: EventStore;
  readonly settings: SettingsStore;
  readonly audience: Audience;
  readonly requests: RequestStore;
  /** Tells of batches that were stored. */
  readonly arrivals: Arrivals = new Arrivals();
  readonly search: Search;
  readonly #database: Database;
  readonly #directory: DataDirectory | undefined;
  readonly #retention: Retention;
  #isClosed = false;

  /** Opens the account kept in a directory, or a new one in memory. Throws `SLUICE_STORAGE` errors. */
  constructor({ data, reset = false, limits = NO_LIMITS, logger = silentLogger }: AccountSettings = {}) {
    const directory = data === undefined ? undefined : new DataDirectory(data, reset);
    this.#directory = directory;
    try {
      const database = openDatabase(directory?.path);
      this.#database = database;
      this.apiKeys = new ApiKeyStore(database);
      const uuids = new UuidIndex(database);
      this.events = new EventStore(database, uuids, () => this.search.changed());
      const extent = () => this.events.totals;
      this.search =
        directory === undefined
          ? new InlineSearch(
              () => new SearchEngine(database, openIndex(undefined, database), false, INLINE_AT_ONCE),
              extent,
            )
          : new IndexedSearch({ directory: directory.path, database, uuids, extent, logger });
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

  /** Selects a primary key. Throws {@link ConfigError} if it is no name, or two customers share a value of it. */
  selectPrimaryKey(name: unknown): void {
    this.audience.selectPrimaryKey(name);
  }

  /** Adds or replaces customers, all or none, and returns how many were given. Throws {@link ConfigError}. */
  addCustomers(customers: Iterable<unknown>): number {
    return this.audience.addCustomers(customers);
  }

  /** The customer as the interface answers it (section 2.3), or undefined. */
  customer(primaryKeyValue: string): Customer | undefined {
    return this.audience.customer(primaryKeyValue);
  }

  /** Stores a batch and the request that brought it, all or nothing. */
  ingest(batch: readonly ReceivedEvent[], request: (outcome: BatchOutcome) => KeptRequest): BatchOutcome {
    let outcome: BatchOutcome;
    try {
      outcome = inTransaction(this.#database, () => {
        const stored = this.events.add(batch, this.requests.next);
        this.requests.add(request(stored));
        return stored;
      });
    } catch (error) {
      this.events.reload();
      throw error;
    }
    this.arrivals.tell();
    return outcome;
  }

  /** Keeps a request that brought nothing. Does nothing once the account is closed: requests may end after it. */
  keepRequest(request: KeptRequest): void {
    if (this.#database.open) this.requests.add(request);
  }

  /** All that is known of one event; undefined where there is none. */
  trackedEvent(id: number): TrackerEvent | undefined {
    const details = readEventDetails(this.#database, id);
    if (details === undefined) return undefined;
    const { requestId, ...event } = details;
    const request = requestId === null ? undefined : this.requests.get(requestId);
    const customer = event.attributed ? this.customer(event.correlationValue) : undefined;
    return { ...event, request: request ?? null, customer: customer ?? null };
  }

  /** Throws a `SluiceError` of code `SLUICE_CLOSED` where it is closed. */
  checkOpen(): void {
    if (this.#isClosed) throw closedError();
  }

  /** Loads events from a file, all or none, and says how many; undefined where there are events already. Throws {@link ConfigError}. */
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

  /** Ends all that goes on in it, and leaves its directory to others. Whoever waits for events is told. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.arrivals.tell();
    this.#retention.stop();
    await this.search.close();
    closeDatabase(this.#database);
    this.#directory?.close();
  }
}

/** What whoever uses a closed emulator is told. */
export function closedError(): SluiceError {
  return new SluiceError('SLUICE_CLOSED', 'The emulator is closed: start another with startEmulator().');
}
