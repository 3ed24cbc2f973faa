import { randomUUID } from 'node:crypto';
import type { EventBytes, Journal, JournalObserver, Limit, Range, Reading } from '@sluice/core';
import { NO_EVENTS } from '@sluice/core/event-bytes';
import { systemClock } from '@sluice/protocol/toolbox';
import type { Database } from '../database/database.ts';
import { Bell, channelOf } from '../forward/bell.ts';
import { Intake } from '../forward/intake.ts';
import { Listener } from '../forward/listener.ts';
import { OutboxTable } from '../forward/outbox-table.ts';
import { ParcelTable } from '../parcels/parcel-table.ts';
import { moment } from '../slots/moment.ts';
import { Segments } from '../slots/segments.ts';
import { SlotTable } from '../slots/slot-table.ts';
import type { Tenure } from '../slots/tenure.ts';
import { Tenures } from '../slots/tenures.ts';
import { checkDurable } from '../upkeep/durability.ts';
import { Vacuum } from '../upkeep/vacuum.ts';
import type { JournalSettings, Timing } from './options.ts';
import { Releases } from './releases.ts';
import { Turn } from './turn.ts';
import { Writer } from './writer.ts';

/** How long an append whose outcome is unknown is repeated, in milliseconds. Until then the tracker does not send the events. */
const REPEAT_MS = 3_000;
/** The same, if the tracker sends nothing anyway. A forwarder may send what is stored. */
const PATIENT_MS = 60_000;

export interface TableJournalOptions extends Timing, Omit<JournalSettings, 'pool' | 'schema' | 'timeoutMs'> {
  readonly database: Database;
  /** What its slots are for, if not for events to be sent. */
  readonly part?: string;
  /** Most parcels of other slots that are known at a time. */
  readonly mostParcels: number;
}

/** Keeps events in slots of the tables: in one of its own, and in those that it took from others. */
export class TableJournal implements Journal {
  readonly kind = 'postgres';
  readonly survives = true;
  readonly groupLimit: Limit = { maxEvents: 500, maxBytes: 256 * 1024 };
  readonly sharing: Turn;
  protected readonly database: Database;
  protected readonly segments: Segments = new Segments();
  /** The tracker, once it has opened the journal. */
  protected observer: JournalObserver | undefined;
  readonly #options: TableJournalOptions;
  readonly #slots: SlotTable;
  readonly #tenures: Tenures;
  readonly #releases: Releases;
  readonly #writer: Writer;
  readonly #intake: Intake;
  readonly #bell: Bell;
  readonly #listener: Listener | undefined;
  readonly #vacuum: Vacuum;
  #closing: Promise<void> | undefined;

  constructor(options: TableJournalOptions) {
    const { compress, database, leaseMs, notify, outbox, part, send } = options;
    const clock = systemClock;
    this.#options = options;
    this.database = database;
    const owner = randomUUID();
    const tables = { parcels: new ParcelTable(database, owner), outbox: new OutboxTable(database, owner) };
    this.#slots = new SlotTable({ database, owner, part, leaseMs });
    this.#tenures = new Tenures({
      ...options,
      slots: this.#slots,
      clock,
      onLost: () => this.sharing.lose(),
      onRegained: (tenures) => {
        this.#intake.adopt(tenures);
        this.#intake.call();
      },
    });
    this.#bell = new Bell(database, clock);
    this.#vacuum = new Vacuum(database);
    this.#releases = new Releases({
      ...tables,
      clock,
      onDeleted: (parcels, events) => {
        this.#intake.freed();
        this.#vacuum.deleted(parcels, events);
      },
    });
    this.#writer = new Writer({
      ...tables,
      clock,
      segments: this.segments,
      releases: this.#releases,
      compress,
      repeatMs: send ? REPEAT_MS : PATIENT_MS,
      makeSlot: () => this.#makeSlot(),
      onStored: (range) => this.#stored(range),
    });
    this.#intake = new Intake({
      ...options,
      ...tables,
      slots: this.#slots,
      tenures: this.#tenures,
      segments: this.segments,
      clock,
      withOutbox: outbox,
      settle: () => this.#settle(),
    });
    if (send && notify)
      this.#listener = new Listener({
        connection: database.connection,
        channel: channelOf(database),
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
    return this.segments.bytes;
  }

  async open(observer: JournalObserver): Promise<void> {
    this.observer = observer;
    if (!this.#options.send) return this.#slots.find();
    this.#listener?.start();
    await this.#intake.open(observer);
  }

  append(events: EventBytes): Promise<Range> {
    return this.#writer.append(events);
  }

  async read(range: Range, limit: Limit): Promise<Reading> {
    const segment = this.segments.get(range.segment);
    if (!segment || !this.#isHeld(segment.tenure)) return this.#handedOver(range);
    const { events, isDamaged, to } = await segment.read(range, limit);
    if (!this.#isHeld(segment.tenure)) return this.#handedOver(range);
    const read = { ...range, to };
    if (events.ends.length > 0) return { events, range: read };
    if (!isDamaged) {
      segment.forget(read);
      return this.#handedOver(read);
    }
    this.observer?.damaged(`parcel ${range.from} of slot ${segment.tenure.slot}`, 0);
    return { events, range: read };
  }

  async acknowledge(range: Range): Promise<void> {
    const releases = this.segments.get(range.segment)?.release(range) ?? [];
    await this.#releases.add(releases);
  }

  /** Each commit waits until it is as safe as `synchronous_commit` says. */
  sync(): Promise<void> {
    return checkDurable(this.database);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#tenures.stop();
    this.#bell.stop();
    this.#vacuum.stop();
    await Promise.all([this.#listener?.stop(), this.#intake.stop(), this.#writer.close()]);
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
      await this.database.close();
    }
  }

  /** Resolves once what was sent is deleted, as far as that is known. */
  async #settle(): Promise<void> {
    await this.sharing.answered();
    await this.#releases.flush();
  }

  async #makeSlot(): Promise<Tenure> {
    const { send } = this.#options;
    const sentAt = moment();
    const tenure = await this.#slots.create(send);
    if (send) this.#tenures.add([tenure], sentAt);
    return tenure;
  }

  /** A tracker that does not send has done its part. */
  #stored(range: Range): void {
    // The process may have been stopped while the append was pending.
    this.#tenures.check();
    const { notify, send } = this.#options;
    if (send) return;
    if (notify) this.#bell.ring();
    // Once the tracker knows the range.
    setImmediate(() => {
      this.observer?.settled?.(range, 'delivered');
      this.segments.get(range.segment)?.forget(range);
    });
  }

  /** Another forwarder has these events, or has sent them. */
  #handedOver(range: Range): Reading {
    this.observer?.settled?.(range, 'delivered');
    return { events: NO_EVENTS, range };
  }

  #isHeld(tenure: Tenure): boolean {
    this.#tenures.check();
    return !tenure.isLost;
  }

  /** What is in slots that were lost is delivered by others, or found again. */
  #tellLost(): void {
    for (const segment of this.segments.takeLost())
      this.observer?.settled?.({ segment, from: 0, to: Number.POSITIVE_INFINITY }, 'delivered');
  }
}
