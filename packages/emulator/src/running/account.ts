import { setImmediate } from 'node:timers/promises';
import { SluiceError } from '@sluice/protocol';
import { flag, readRules, systemClock } from '@sluice/protocol/toolbox';
import { Audience } from '../customers/audience.ts';
import type { ReceivedEvent } from '../events/tracked-events.ts';
import { Search } from '../search/search.ts';
import { ApiKeyStore } from '../storage/api-key-store.ts';
import { Database, openDirectory, unlessFailing, unusable } from '../storage/database.ts';
import { type BatchOutcome, EventStore } from '../storage/event-store.ts';
import { type KeptRequest, RequestStore } from '../storage/request-store.ts';
import { startRetention } from '../storage/retention.ts';
import { type Logger, silentLogger } from './logger.ts';

/** Settings of an account. */
export interface AccountSettings {
  /** Directory that stores the account. Without one, the account is in memory. */
  readonly data?: string | undefined;
  /** How many of the newest events to keep. Default 1,000,000. */
  readonly maxEvents?: number | undefined;
  /** Default: none. */
  readonly logger?: Logger | undefined;
}

/** What `clear()` deletes besides events and requests. */
export interface ClearOptions {
  /** Whether to delete all customers, too. Default false. */
  readonly customers?: boolean | undefined;
}

const CLEAR = { customers: flag(false) };
// A larger batch is staged in turns, which take a few milliseconds each. In between, other requests are served.
const MOST_AT_ONCE = 500;

/** The account that the emulator serves: its API keys, its primary key, its customers and its event tracker. */
export class Account {
  readonly apiKeys: ApiKeyStore;
  readonly events: EventStore;
  readonly audience: Audience;
  readonly requests: RequestStore;
  readonly search: Search;
  readonly database: Database;
  readonly #stopRetention: () => void;
  readonly #logger: Logger;
  /** How often it was cleared. */
  clearings = 0;
  #arrival: AbortController | undefined;

  /** Opens the account in the directory, or a new one in memory. Throws errors of code `SLUICE_STORAGE`. */
  constructor({ data, logger = silentLogger, maxEvents }: AccountSettings = {}) {
    let opened: Database | undefined;
    this.#logger = logger;
    try {
      opened = data === undefined ? new Database() : openDirectory(data);
      const database = opened;
      this.database = database;
      this.apiKeys = new ApiKeyStore(database);
      this.events = new EventStore(database, () => {
        this.search.changed();
        this.#tellArrival();
      });
      this.search = new Search(database, () => this.events.totals);
      this.audience = new Audience(database, () => this.#tellArrival());
      this.requests = new RequestStore(database);
      this.#stopRetention = startRetention(this.events, this.requests, maxEvents, logger, systemClock);
    } catch (error) {
      opened?.close();
      throw data === undefined ? error : unusable(data, error);
    }
  }

  /** Aborted at the next change of events, or of the customers that these are attributed to, and when no more will come. */
  get arrival(): AbortSignal {
    this.#arrival ??= new AbortController();
    return this.#arrival.signal;
  }

  /** Stores a batch together with its request: both, or neither. Returns the id of the request, too. */
  async ingest(
    batch: readonly ReceivedEvent[],
    request: (outcome: BatchOutcome) => KeptRequest,
  ): Promise<BatchOutcome & { readonly requestId: number }> {
    this.checkOpen();
    using staging = this.events.stage(batch.slice(0, MOST_AT_ONCE));
    for (let from = MOST_AT_ONCE; from < batch.length; from += MOST_AT_ONCE) {
      await setImmediate();
      this.checkOpen();
      this.events.stage(batch.slice(from, from + MOST_AT_ONCE), staging);
    }
    return this.database.transaction(() => {
      const stored = this.events.add(staging, this.requests.next);
      return { ...stored, requestId: this.requests.add(request(stored)) };
    });
  }

  /**
   * Stores a request without events, and returns its id; undefined if that fails, as on a full disk: the request is answered all the
   * same. If the account is closed, does nothing: a request may end after that.
   */
  keepRequest(request: KeptRequest): number | undefined {
    if (!this.database.isOpen) return undefined;
    return unlessFailing(
      () => this.requests.add(request),
      (error) => this.#logger.error({ err: error }, 'a request is answered, but cannot be stored'),
    );
  }

  /** Deletes what {@link ClearOptions} say. Throws {@link ConfigError} if they are wrong. */
  clear(options: unknown): void {
    const { customers } = readRules(CLEAR, '', options);
    this.database.transaction(() => {
      this.events.removeBefore(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
      this.requests.removeBefore(this.requests.next, Number.POSITIVE_INFINITY);
      if (customers === true) this.audience.clear();
    });
    this.clearings += 1;
  }

  /** Throws a `SluiceError` of code `SLUICE_CLOSED` if the account is closed. */
  checkOpen(): void {
    if (!this.database.isOpen) throw closedError();
  }

  /** Stops retention and search, and closes the database. Wakes callers that wait for events. */
  async close(): Promise<void> {
    this.#stopRetention();
    this.search.close();
    this.database.close();
    this.#tellArrival();
  }

  #tellArrival(): void {
    this.#arrival?.abort();
    this.#arrival = undefined;
  }
}

/** The error for using a closed emulator. */
export function closedError(): SluiceError {
  return new SluiceError('SLUICE_CLOSED', 'The emulator is closed: start another with startEmulator().');
}
