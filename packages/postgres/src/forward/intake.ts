import type { JournalObserver } from '@sluice/core';
import type { Clock, Timer } from '@sluice/protocol/toolbox';
import type { ParcelTable } from '../parcels/parcel-table.ts';
import { type Moment, moment, msSince } from '../slots/moment.ts';
import type { Segments } from '../slots/segments.ts';
import type { SlotTable } from '../slots/slot-table.ts';
import type { Tenure } from '../slots/tenure.ts';
import type { Tenures } from '../slots/tenures.ts';
import type { OutboxTable } from './outbox-table.ts';
import { Taken } from './taken.ts';

export interface IntakeOptions {
  readonly slots: SlotTable;
  readonly parcels: ParcelTable;
  readonly outbox: OutboxTable;
  readonly tenures: Tenures;
  readonly segments: Segments;
  readonly clock: Clock;
  /** Whether to take slots of the outbox too. */
  readonly withOutbox: boolean;
  /** Most parcels that are known at a time. The rest waits in the table. */
  readonly mostParcels: number;
  /** How soon to look again, in milliseconds: soon after something was found, then less often. */
  readonly leastPollMs: number;
  readonly mostPollMs: number;
  /** A slot that was empty for so long goes back, and of a forwarder that had no room for so long, one goes on. In milliseconds. */
  readonly idleMs: number;
  /** Resolves once what was sent is deleted: it must not be found again. */
  readonly settle: () => Promise<void>;
}

/** Most slots that are taken at once: others may have room for the rest. */
const MOST_SLOTS = 4;
/** Most events of the outbox that are known at a time. The rest waits in the table. */
const MOST_EVENTS = 4_096;
/** The same in bytes, until they are read. One look may add 2 MiB for each slot. */
const MOST_BYTES = 32 * 1024 * 1024;
/**
 * What was listed so many times the most that may be known before the last one does not count any more: others overtook it, so it
 * waits for a reason of its own, such as an event that makes the service fail. It must not hold up the rest.
 */
const OVERTAKEN = 2;
/** How often to delete slots that nobody uses any more, in milliseconds. */
const TIDY_MS = 300_000;

/** Finds what others left: takes slots, and lists what is in them, as far as there is room. */
export class Intake {
  readonly #options: IntakeOptions;
  #taken: Taken[] = [];
  #observer: JournalObserver | undefined;
  #timer: Timer | undefined;
  #looking: Promise<unknown> | undefined;
  #waitMs = 0;
  /** Whether to look once more at once. */
  #isCalled = false;
  /** Whether the last look may have left something, because there was no room. */
  #isFull = false;
  /** How many parcels, and events of the outbox, were listed so far. */
  #parcels = 0;
  #events = 0;
  /** Since when there is less room than there are events. */
  #fullSince: Moment | undefined;
  /** Since when there is not. */
  #roomSince: Moment | undefined;
  /** When it gave a slot back for another forwarder to take. */
  #passedOnAt: Moment | undefined;
  #fails = false;
  #tidiedAt: Moment | undefined;
  #isStopped = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Looks for the first time, and then from time to time. Rejects with a StorageError if the first look fails. */
  async open(observer: JournalObserver): Promise<void> {
    this.#observer = observer;
    // An open that failed has left a look for later.
    this.#timer?.cancel();
    await this.#looking;
    const first = this.#lookAll();
    this.#looking = first.catch(() => undefined);
    try {
      await first;
    } catch (error) {
      this.#fails = true;
      throw error;
    } finally {
      this.#looking = undefined;
      this.#lookLater(this.#isCalled ? 0 : this.#options.leastPollMs);
    }
  }

  /** There may be something new. */
  call(): void {
    this.#isCalled = true;
    if (!this.#looking) this.#lookLater(0);
  }

  /** Events were deleted: there may be room for others. */
  freed(): void {
    for (const taken of this.#taken) taken.tidy();
    if (!this.#isFull) return;
    if (this.#parcelRoom * 2 < this.#options.mostParcels || this.#eventRoom * 2 < MOST_EVENTS) return;
    this.#isFull = false;
    this.call();
  }

  /** The slots are owned from now on. */
  adopt(tenures: readonly Tenure[]): void {
    const { parcels, segments } = this.#options;
    for (const tenure of tenures) this.#taken.push(new Taken(tenure, parcels, segments));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#looking;
  }

  get #parcelRoom(): number {
    const { mostParcels } = this.#options;
    return this.#taken.reduce((room, taken) => room - this.#countedParcels(taken), mostParcels);
  }

  get #eventRoom(): number {
    const bytes = this.#taken.reduce((sum, { eventBytes }) => sum + eventBytes, 0);
    if (bytes >= MOST_BYTES) return 0;
    return this.#taken.reduce((room, taken) => room - this.#countedEvents(taken), MOST_EVENTS);
  }

  /** How many known parcels of a slot count: those that others did not overtake. */
  #countedParcels(taken: Taken): number {
    return taken.parcelsAfter(this.#parcels - OVERTAKEN * this.#options.mostParcels);
  }

  #countedEvents(taken: Taken): number {
    return taken.eventsAfter(this.#events - OVERTAKEN * MOST_EVENTS);
  }

  get #listed(): readonly Taken[] {
    return this.#taken.filter(({ isLeaving }) => !isLeaving);
  }

  #lookLater(waitMs: number): void {
    this.#timer?.cancel();
    if (this.#isStopped) return;
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#looking = this.#lookAgain().finally(() => {
        this.#looking = undefined;
        this.#lookLater(this.#isCalled ? 0 : this.#waitMs);
      });
    }, waitMs);
  }

  async #lookAgain(): Promise<void> {
    const { leastPollMs, mostPollMs } = this.#options;
    this.#isCalled = false;
    try {
      const found = await this.#lookAll();
      this.#fails = false;
      this.#waitMs = found > 0 ? leastPollMs : Math.min(mostPollMs, Math.max(leastPollMs, this.#waitMs * 2));
    } catch (error) {
      this.#waitMs = mostPollMs;
      this.#isCalled = false;
      if (!this.#fails && error instanceof Error) this.#observer?.failed(error);
      this.#fails = true;
    }
  }

  /** Takes what there is, as far as there is room. Resolves to how many parcels and events of the outbox it found. */
  async #lookAll(): Promise<number> {
    const begun = moment();
    let [found, more] = [0, 0];
    do {
      more = await this.#look();
      found += more;
      // Under steady load, each look finds something: what follows must not wait for the end of it.
    } while (more > 0 && !this.#isStopped && msSince(begun) < this.#options.mostPollMs);
    if (more > 0) this.#isCalled = true;
    this.#passOn();
    await this.#giveBack();
    await this.#removeUnused();
    return found;
  }

  async #look(): Promise<number> {
    const { settle, slots, tenures, withOutbox } = this.#options;
    tenures.check();
    this.#taken = this.#taken.filter(({ tenure }) => !tenure.isLost);
    await settle();
    const kinds = { outbox: withOutbox && this.#eventRoom > 0, parcels: this.#parcelRoom > 0 };
    if (!this.#isPassingOn && (kinds.outbox || kinds.parcels)) {
      const sentAt = moment();
      const taken = await slots.take(MOST_SLOTS, kinds);
      tenures.add(taken, sentAt);
      this.adopt(taken);
    }
    this.#isFull = this.#parcelRoom <= 0 || this.#eventRoom <= 0;
    return (await this.#listParcels()) + (await this.#listOutbox());
  }

  async #listParcels(): Promise<number> {
    const taken = this.#listed.flatMap(({ parcels }) => parcels ?? []);
    const room = this.#parcelRoom;
    if (taken.length === 0 || room <= 0) return 0;
    const known = taken.flatMap(({ segment: { parcels, tenure } }) =>
      parcels.keys.map((seq) => ({ slot: tenure.slot, seq })),
    );
    const limit = Math.ceil(room / taken.length);
    const found = await this.#options.parcels.list(
      taken.map(({ segment }) => segment.tenure),
      known,
      limit,
    );
    let count = 0;
    for (const { slot, rest, ...parcel } of found) {
      const owner = taken.find(({ segment }) => segment.tenure.slot === slot);
      if (!owner || owner.segment.tenure.isLost) continue;
      this.#parcels += 1;
      owner.segment.parcels.add({ ...parcel, rest, place: this.#parcels });
      for (const part of rest) this.#observer?.recovered({ segment: owner.number, ...part }, parcel.at);
      count += 1;
    }
    if (count >= limit) this.#isFull = true;
    return count;
  }

  async #listOutbox(): Promise<number> {
    const { outbox } = this.#options;
    const taken = this.#listed.filter(({ parcels }) => !parcels);
    const room = this.#eventRoom;
    if (taken.length === 0 || room <= 0) return 0;
    const known = taken.flatMap(({ eventKeys }) => eventKeys);
    const limit = Math.ceil(room / taken.length);
    const rows = await outbox.list(
      taken.map(({ tenure }) => tenure),
      known,
      limit,
    );
    for (const each of taken) {
      const own = rows.filter(({ slot }) => slot === each.tenure.slot);
      if (own.length === 0 || each.tenure.isLost) continue;
      this.#events += own.length;
      const segment = each.addBunch(own, outbox, this.#events);
      this.#observer?.recovered({ segment, from: 0, to: own.length });
    }
    if (rows.length >= limit || this.#eventRoom <= 0) this.#isFull = true;
    return rows.length;
  }

  async #removeUnused(): Promise<void> {
    if (this.#tidiedAt && msSince(this.#tidiedAt) < TIDY_MS) return;
    this.#tidiedAt = moment();
    // Without the right to delete slots, they stay.
    await this.#options.slots.removeUnused().catch(() => undefined);
  }

  /** Without room for long, another forwarder may have some: one slot is not listed any more, and goes back once it is empty. */
  #passOn(): void {
    const { idleMs } = this.#options;
    // There may be more than the look took.
    const isFull = this.#parcelRoom <= 0 || this.#eventRoom <= 0;
    this.#roomSince = isFull ? undefined : (this.#roomSince ?? moment());
    const hasRoom = this.#roomSince !== undefined && msSince(this.#roomSince) >= idleMs;
    const leaving = this.#taken.find(({ isLeaving }) => isLeaving);
    // What others overtook waits for a reason of its own, so the rest of its slot does not wait for that.
    const counted = leaving && this.#countedParcels(leaving) + this.#countedEvents(leaving);
    if (leaving && (hasRoom || (counted === 0 && !leaving.isEmpty))) {
      leaving.isLeaving = false;
      // The next one that goes on is another.
      this.#taken = [leaving, ...this.#taken.filter((taken) => taken !== leaving)];
    }
    this.#fullSince = isFull ? (this.#fullSince ?? moment()) : undefined;
    if (!this.#fullSince || msSince(this.#fullSince) < idleMs) return;
    const last = this.#taken.at(-1);
    if (!last || this.#taken.length < 2 || this.#taken.some(({ isLeaving }) => isLeaving)) return;
    last.isLeaving = true;
    this.#fullSince = undefined;
  }

  /** Whether to leave slots to others for a moment. */
  get #isPassingOn(): boolean {
    return this.#passedOnAt !== undefined && msSince(this.#passedOnAt) < 2 * this.#options.mostPollMs;
  }

  /** Gives back the slots that have been empty for a while: others may have more time for what comes next. */
  async #giveBack(): Promise<void> {
    const { idleMs, slots, tenures } = this.#options;
    const over = this.#taken.filter((taken) => taken.isOver(idleMs));
    if (over.length === 0) return;
    if (over.some(({ isLeaving }) => isLeaving)) this.#passedOnAt = moment();
    this.#taken = this.#taken.filter((taken) => !over.includes(taken));
    for (const taken of over) {
      taken.end();
      tenures.remove(taken.tenure);
    }
    await slots.giveBack(over.map(({ tenure }) => tenure));
  }
}
