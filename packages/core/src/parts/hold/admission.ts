import { identified } from '../../accept/unidentified.ts';
import { Alarm } from '../../base/alarm.ts';
import type { EventBytes } from '../../base/event-bytes.ts';
import type { DropReason, Fate } from '../../base/fate.ts';
import type { ConsentStore } from '../../keep/consent-store.ts';
import { Shelf, type ShelfOptions } from '../shelf.ts';
import type { Sessions } from './sessions.ts';
import { stampEvents } from './stamp.ts';
import { Stay, type WaitingEvent } from './stay.ts';

const RETRY_MS = 30_000;

export interface AdmissionOptions extends ShelfOptions {
  /** Whether it holds events without a user. Otherwise there are none. */
  readonly isHolding: boolean;
  readonly consent: 'pending' | 'granted' | 'denied';
  /** Keeps a denial for all who share the journal. */
  readonly stored?: ConsentStore | undefined;
  /** Whether it waits for `start()`: until then, events stay in memory. */
  readonly isWaiting?: boolean | undefined;
  /** Bounds of the events that wait for consent. */
  readonly buffer: { readonly maxEvents: number; readonly maxBytes: number };
  readonly sessions: Sessions;
  /** How long an event may wait in memory to be written together with others, in milliseconds. */
  readonly intervalMs: number;
  /** Passes an event on, to be written and sent. */
  readonly enter: (event: WaitingEvent) => void;
  /** Passes stored events on, to be sent. Calls `onReplayed` when they wait in the tracker's own journal. */
  readonly replay: (events: EventBytes, onReplayed: () => void) => Promise<void>;
  /** Consent is denied: drops all events elsewhere. */
  readonly purge: () => Promise<void>;
}

/**
 * The stage between `track()` and the ring buffer. Here an event waits until consent is granted and its user is known. It waits for
 * consent in memory. Until its user is known it is stored, without a user. It leaves only once it waits to be sent.
 */
export class Admission extends Shelf<AdmissionOptions> {
  #consent = this.options.isWaiting ? 'pending' : this.options.consent;
  #customer: string | undefined;
  /** The current stay. */
  #stay = new Stay(this);
  /** The current stay, and before it those that have ended and are not dealt with yet. */
  readonly #stays = [this.#stay];
  #working: Promise<boolean> | undefined;
  /** Settles once what `leave()` passed to the journal is stored, or back in memory. */
  #leaving: Promise<unknown> | undefined;
  /** Runs until the events are written, or until the next try. */
  readonly #alarm = new Alarm(this.options.clock, () => void this.write());

  /** Whether an event goes directly to its lane. */
  isOpen(isUnidentified: boolean): boolean {
    return this.#consent === 'granted' && !isUnidentified;
  }

  get isDenied(): boolean {
    return this.#consent === 'denied';
  }

  /** Events that wait here. Those of previous processes count once they are found. */
  get pending(): number {
    return this.unwritten + this.kept.count;
  }

  /** Of these, the events that are only in memory. */
  get unwritten(): number {
    return this.#stays.reduce((total, { count }) => total + count, 0);
  }

  /** Events that wait for their user. */
  get held(): number {
    return this.#consent === 'granted' ? this.pending : this.kept.count;
  }

  /** Takes an event. Without room it is dropped: the first events tell where a customer came from. */
  take(event: WaitingEvent, stay: Stay = this.#stay): void {
    const { buffer, enter, intervalMs, journal, maxBytes } = this.options;
    const bytes = this.#stays.reduce((total, { bytes }) => total + bytes, event.text.length);
    if (this.isOpen(event.isUnidentified)) enter(event);
    else if (this.isDenied) this.ended('denied', 1);
    else if (event.isUnidentified && journal.bytes + bytes > maxBytes) this.ended('journal-full', 1);
    else if (this.#consent === 'pending' && (this.unwritten >= buffer.maxEvents || bytes > buffer.maxBytes))
      this.ended('buffer-full', 1);
    else {
      stay.push(event);
      // Find the session early: when the user leaves the page, there is no time for it.
      if (stay.session === undefined && !this.#alarm.isSet) void this.write();
      else this.#alarm.set(intervalMs);
    }
  }

  /** Held events belong to this customer. Undefined: to nobody; they are dropped, and a new session starts. */
  identify(customer: string | undefined): void {
    this.#customer = customer;
    this.#endStay();
  }

  /** Begins, if it has waited until now. */
  start(): void {
    const { consent, stored } = this.options;
    this.setConsent(stored?.isDenied ? 'denied' : consent, false);
  }

  /** @param isChoice Whether it was chosen here, and others must know. */
  setConsent(consent: AdmissionOptions['consent'], isChoice: boolean = true): void {
    const { stored } = this.options;
    if (isChoice && consent !== 'pending') stored?.set(consent);
    // Only what grants it lifts a denial.
    if (consent === this.#consent || (consent === 'pending' && stored?.isDenied)) return;
    this.#consent = consent;
    if (consent === 'denied') this.purge();
    if (consent !== 'granted') return;
    for (const stay of this.#stays) for (const event of stay.take()) this.take(event, stay);
    if (this.#customer === undefined) void this.write();
    else this.#endStay();
  }

  /** Consent is denied: drops all waiting and stored events. */
  purge(): void {
    for (const stay of this.#stays) {
      stay.end(undefined, 'denied');
      this.#drop(stay, 'denied');
    }
    this.#endStay();
    this.options.purge().catch(this.options.reporter.storageFailed);
  }

  /** Resolves to true once no event waits in memory; to false if storage fails, or events wait for consent. */
  write(): Promise<boolean> {
    this.#alarm.cancel();
    this.#working ??= this.#work();
    return this.#working;
  }

  /**
   * The process or page may end. Writes the events on this thread. If the journal cannot do that, passes them to the journal at
   * once.
   */
  leave(): void {
    if (this.#consent === 'pending') return;
    // Without the session they cannot be stored, but their customer is probably the right one.
    for (const stay of this.#stays)
      if (stay.customer === undefined || stay.session === undefined) this.#release(stay);
    if (this.unwritten === 0) return;
    const stays = this.#stays.filter(({ session }) => session !== undefined || this.journal.appendSync);
    this.#leaving = Promise.allSettled(stays.map((stay) => stay.append(true)));
    // Tries again what fails.
    void this.write();
  }

  /** Stores what it can, and closes the journal. */
  override async close(): Promise<void> {
    await this.write();
    this.#alarm.cancel();
    this.options.sessions.close();
    this.options.stored?.close();
    await super.close();
  }

  /** The tracker is closed: events that no lasting journal holds are dropped. */
  giveUp(): void {
    for (const stay of this.#stays) this.#drop(stay, 'closed');
    if (!this.journal.survives) for (const range of this.kept.ranges) this.forget(range, 'closed');
  }

  protected override found(count: number): void {
    this.options.reporter.recovered('recovered', count);
    // They belong to a process or tab that ended after this one started.
    if (this.isDenied || this.#customer !== undefined) this.#endStay();
  }

  protected override ended(fate: Fate, count: number): void {
    this.options.reporter.settled(fate, count);
  }

  #endStay(): void {
    if (this.isDenied) this.#stay.end(undefined, 'denied');
    else this.#stay.end(this.#customer, 'unidentified');
    this.#stay = new Stay(this);
    this.#stays.push(this.#stay);
    void this.write();
  }

  async #work(): Promise<boolean> {
    try {
      for (;;) {
        // Nothing happens within the call of `track()`.
        await this.#leaving;
        const [stay = this.#stay] = this.#stays;
        if (this.#consent === 'pending') return this.unwritten === 0;
        if (stay !== this.#stay) {
          if (this.options.isHolding) await this.#deal(stay);
          this.#stays.shift();
        } else if (stay.isWaiting) await this.#store(stay);
        else return true;
      }
    } catch (error) {
      this.#alarm.set(RETRY_MS);
      if (this.#consent !== 'pending') for (const stay of this.#stays) this.#release(stay);
      this.options.reporter.storageFailed(error);
      return false;
    } finally {
      this.#working = undefined;
    }
  }

  async #store(stay: Stay): Promise<void> {
    // Both at once: the user may leave the page soon.
    const [session] = await Promise.all([this.options.sessions.current(), this.open()]);
    // Somebody signed out, or in, in another tab.
    if ((stay.session ?? session) !== session) this.#drop(stay, 'unidentified');
    stay.session = session;
    // Consent may have been taken back meanwhile.
    if (this.#consent !== 'pending') await stay.append();
  }

  /** Deals with the events of a stay that has ended, and with all stored ones. */
  async #deal(stay: Stay): Promise<void> {
    const { customer, reason = 'unidentified' } = stay;
    const session = await this.options.sessions.claim(customer);
    await this.#leaving;
    if (session === undefined || (stay.session ?? session) !== session) this.#drop(stay, reason);
    this.#release(stay);
    if (customer === undefined) await this.clear(reason);
    else await this.alone(() => this.#sendStored(session, customer));
  }

  /** Passes on the stored events of a session, as events of its customer. Drops all others. */
  async #sendStored(session: string | undefined, customer: string): Promise<void> {
    await this.tidy();
    while (this.kept.first !== undefined) {
      const { events, range } = await this.read(this.kept.first);
      const stamped = stampEvents(events, session, customer);
      // Only the number matters: which index belongs to which event does not matter any more.
      const end = { ...range, to: range.from + stamped.ends.length };
      if (stamped.ends.length > 0) await this.options.replay(stamped, () => void this.kept.cut(end));
      await this.drop(range, 'unidentified');
    }
  }

  /** Passes on the events in memory if their customer is known. Drops them if they have none. */
  #release(stay: Stay): void {
    const { customer, reason } = stay;
    if (customer !== undefined)
      for (const event of stay.take())
        this.options.enter({
          ...event,
          text: identified(event.text, customer),
          customer: event.isUnidentified ? customer : event.customer,
        });
    else if (reason !== undefined) this.#drop(stay, reason);
  }

  #drop(stay: Stay, reason: DropReason): void {
    this.ended(reason, [...stay.take()].length);
  }
}
