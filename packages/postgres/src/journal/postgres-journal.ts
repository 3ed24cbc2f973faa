import { randomUUID } from 'node:crypto';
import type { EventBytes, Journal, JournalObserver, Limit, Range, Reading } from '@sluice/core';
import { systemClock } from '@sluice/protocol/toolbox';
import pg from 'pg';
import { Database } from '../database/database.ts';
import { Bell, channelOf } from '../forward/bell.ts';
import { Intake } from '../forward/intake.ts';
import { Listener } from '../forward/listener.ts';
import { OutboxTable } from '../forward/outbox-table.ts';
import { ParcelTable } from '../parcels/parcel-table.ts';
import { NO_EVENTS } from '../parcels/pieces.ts';
import { moment } from '../slots/moment.ts';
import { Segments } from '../slots/segments.ts';
import { SlotTable } from '../slots/slot-table.ts';
import type { Tenure } from '../slots/tenure.ts';
import { Tenures } from '../slots/tenures.ts';
import { checkDurable } from '../upkeep/durability.ts';
import { type PostgresStatus, readStatus } from '../upkeep/status.ts';
import { Vacuum } from '../upkeep/vacuum.ts';
import {
  isPool,
  type JournalSettings,
  type PostgresJournalOptions,
  readOptions,
  TIMING,
  type Timing,
} from './options.ts';
import { Releases } from './releases.ts';
import { Turn } from './turn.ts';
import { Writer } from './writer.ts';

/** Connections of a journal with a pool of its own. */
const CONNECTIONS = 4;
/** How long an append whose outcome is unknown is repeated, in milliseconds. Until then the tracker does not send the events. */
const REPEAT_MS = 3_000;
/** The same, if the tracker sends nothing anyway. A forwarder may send what is stored. */
const PATIENT_MS = 60_000;

/**
 * Makes a journal on PostgreSQL, for `createTracker`. Call `migrate()` before, once.
 *
 * @throws A ConfigError if an option is wrong.
 * @example createTracker({ ...options, journal: postgresJournal({ pool: { connectionString } }) });
 */
export function postgresJournal(options: PostgresJournalOptions): PostgresJournal {
  return new PostgresJournal(readOptions(options), TIMING);
}

/** Keeps events in tables of PostgreSQL, which several processes and machines share. */
export class PostgresJournal implements Journal {
  readonly kind = 'postgres';
  readonly survives = true;
  readonly groupLimit: Limit = { maxEvents: 500, maxBytes: 256 * 1024 };
  readonly sharing: Turn;
  readonly #settings: JournalSettings;
  readonly #pool: pg.Pool;
  readonly #database: Database;
  readonly #slots: SlotTable;
  readonly #tenures: Tenures;
  readonly #segments = new Segments();
  readonly #releases: Releases;
  readonly #writer: Writer;
  readonly #intake: Intake;
  readonly #bell: Bell;
  readonly #listener: Listener | undefined;
  #observer: JournalObserver | undefined;
  #closing: Promise<void> | undefined;

  constructor(settings: JournalSettings, timing: Timing) {
    const { pool, schema, send, timeoutMs } = settings;
    const clock = systemClock;
    this.#settings = settings;
    this.#pool = isPool(pool)
      ? pool
      : new pg.Pool({
          max: CONNECTIONS,
          connectionTimeoutMillis: timeoutMs,
          allowExitOnIdle: true,
          ...pool,
        });
    this.#database = new Database(this.#pool, schema, clock, timeoutMs);
    const tables = { parcels: new ParcelTable(this.#database), outbox: new OutboxTable(this.#database) };
    this.#slots = new SlotTable({ ...timing, database: this.#database, owner: randomUUID() });
    this.#tenures = new Tenures({
      ...timing,
      slots: this.#slots,
      clock,
      onLost: () => this.sharing.lose(),
      onRegained: (tenures) => {
        this.#intake.adopt(tenures);
        this.#intake.call();
      },
    });
    this.#bell = new Bell(this.#database, clock);
    const vacuum = new Vacuum(this.#database);
    this.#releases = new Releases({
      ...tables,
      clock,
      onDeleted: (parcels, events) => {
        this.#intake.freed();
        vacuum.deleted(parcels, events);
      },
    });
    this.#writer = new Writer({
      ...tables,
      clock,
      segments: this.#segments,
      releases: this.#releases,
      compress: settings.compress,
      repeatMs: send ? REPEAT_MS : PATIENT_MS,
      makeSlot: () => this.#makeSlot(),
      onStored: (range) => this.#stored(range),
    });
    this.#intake = new Intake({
      ...timing,
      ...tables,
      slots: this.#slots,
      tenures: this.#tenures,
      segments: this.#segments,
      clock,
      withOutbox: settings.outbox,
      settle: () => this.#settle(),
    });
    const connection = isPool(pool) ? pool.options : pool;
    if (send && settings.notify)
      this.#listener = new Listener({
        connection,
        channel: channelOf(this.#database),
        clock,
        onCall: () => this.#intake.call(),
      });
    this.sharing = new Turn({
      mayWork: send,
      check: () => this.#tenures.check(),
      ready: () => this.#writer.leftLost(),
      tell: () => this.#tellLost(),
    });
  }

  get bytes(): number {
    return this.#segments.bytes;
  }

  async open(observer: JournalObserver): Promise<void> {
    this.#observer = observer;
    if (!this.#settings.send) return this.#slots.find();
    this.#listener?.start();
    await this.#intake.open(observer);
  }

  append(events: EventBytes): Promise<Range> {
    return this.#writer.append(events);
  }

  async read(range: Range, limit: Limit): Promise<Reading> {
    const segment = this.#segments.get(range.segment);
    if (!segment || !this.#isHeld(segment.tenure)) return this.#handedOver(range);
    const { events, isDamaged, to } = await segment.read(range, limit);
    if (!this.#isHeld(segment.tenure)) return this.#handedOver(range);
    const read = { ...range, to };
    if (events.ends.length > 0) return { events, range: read };
    if (!isDamaged) {
      segment.forget(read);
      return this.#handedOver(read);
    }
    this.#observer?.damaged(`parcel ${range.from} of slot ${segment.tenure.slot}`, 0);
    return { events, range: read };
  }

  async acknowledge(range: Range): Promise<void> {
    const releases = this.#segments.get(range.segment)?.release(range) ?? [];
    await this.#releases.add(releases);
  }

  /** Each commit waits until it is as safe as `synchronous_commit` says. */
  sync(): Promise<void> {
    return checkDurable(this.#database);
  }

  /**
   * The sizes of the tables, what keeps vacuum from them, and how safe a commit is.
   *
   * @throws Rejects with a StorageError if PostgreSQL does not answer.
   * @example const { vacuumHolder } = await journal.status();
   */
  status(): Promise<PostgresStatus> {
    return readStatus(this.#database);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#tenures.stop();
    this.#bell.stop();
    await this.#listener?.stop();
    await Promise.all([this.#intake.stop(), this.#writer.close()]);
    try {
      const { held } = this.#tenures;
      const own = this.#writer.tenure;
      if (held.length > 0 || own) {
        await this.#releases.flush();
        if (held.length > 0) await this.#slots.giveBack(held);
        if (own) await this.#slots.remove(own.slot);
      }
    } finally {
      this.#releases.stop();
      if (isPool(this.#settings.pool)) this.#database.close();
      else await this.#pool.end();
    }
  }

  /** Resolves once what was sent is deleted, as far as that is known. */
  async #settle(): Promise<void> {
    await this.sharing.answered();
    await this.#releases.flush();
  }

  async #makeSlot(): Promise<Tenure> {
    const { send } = this.#settings;
    const sentAt = moment();
    const tenure = await this.#slots.create(send);
    if (send) this.#tenures.add([tenure], sentAt);
    return tenure;
  }

  /** A tracker that does not send has done its part. */
  #stored(range: Range): void {
    // The process may have been stopped while the append was pending.
    this.#tenures.check();
    const { notify, send } = this.#settings;
    if (send) return;
    if (notify) this.#bell.ring();
    // Once the tracker knows the range.
    setImmediate(() => {
      this.#observer?.settled?.(range, 'delivered');
      this.#segments.get(range.segment)?.forget(range);
    });
  }

  /** Another forwarder has these events, or has sent them. */
  #handedOver(range: Range): Reading {
    this.#observer?.settled?.(range, 'delivered');
    return { events: NO_EVENTS, range };
  }

  #isHeld(tenure: Tenure): boolean {
    this.#tenures.check();
    return !tenure.isLost;
  }

  /** What is in slots that were lost is delivered by others, or found again. */
  #tellLost(): void {
    for (const segment of this.#segments.takeLost())
      this.#observer?.settled?.({ segment, from: 0, to: Number.POSITIVE_INFINITY }, 'delivered');
  }
}
