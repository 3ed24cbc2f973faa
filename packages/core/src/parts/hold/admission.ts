import { identified } from '../../accept/unidentified.ts';
import { Alarm } from '../../base/alarm.ts';
import type { DropReason, Fate } from '../../base/fate.ts';
import { Shelf } from '../shelf.ts';
import type { AdmissionOptions } from './admission-options.ts';
import { stampEvents } from './stamp.ts';
import { Stay, type WaitingEvent } from './stay.ts';

const RETRY_MS = 30_000;
/** The id of no session. */
const NO_SESSION = '-';

/**
 * The stage between `track()` and the ring buffer. Here an event waits until consent is granted and its user is known. It waits for
 * consent in memory. Until its user is known it is stored, without a user. It leaves only once it waits to be sent.
 */
export class Admission extends Shelf<AdmissionOptions> {
  #consent = this.options.isWaiting ? 'pending' : this.options.consent;
  /** Whether this tab has said who the customer is, and no stay has it yet. */
  #isUntold = false;
  /** The current stay. */
  #stay = new Stay(this);
  /** The current stay, and before it those that have ended and are not dealt with yet. */
  readonly #stays = [this.#stay];
  #working: Promise<boolean> | undefined;
  /** Settles once what `leave()` passed to the journal is stored, or back in memory. */
  #leaving: Promise<unknown> | undefined;
  /** Runs until the events are written, or until the next try. */
  readonly #alarm = new Alarm(this.options.clock, () => void this.write());

  constructor(options: AdmissionOptions) {
    super(options);
    if (options.hold) options.sessions.listen((...news) => this.recheck(...news));
  }

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
    const { buffer, enter, commitIntervalMs, journal, maxBytes } = this.options;
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
      else this.#alarm.set(commitIntervalMs);
    }
  }

  /** Held events belong to this customer. Undefined: to nobody; they are dropped, and a new session starts. */
  identify(customer: string | undefined): void {
    // Said twice in a row.
    if (customer !== undefined && customer === this.#customer && this.#stays.at(-2)?.isClaim) return;
    this.#customer = customer;
    this.#isUntold = true;
    this.#endStay();
  }

  /**
   * Another tab has changed the session, or may have done so. Until the note is read, new events wait here. `isNew`: whether
   * another session has begun. `customer`: who is said to be its customer.
   */
  recheck(isNew = false, customer?: string): void {
    if (!this.options.hold) return;
    if (isNew) {
      this.#isUntold = false;
      for (const stay of this.#stays) {
        stay.session ??= NO_SESSION;
        // What this tab has said before is not told late.
        if (stay.isClaim && this.#consent === 'pending') stay.end();
      }
    } else if (this.#isUntold) return;
    if (customer !== this.#customer) this.#customer = undefined;
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
    this.#endStay();
  }

  /** Consent is denied: drops all waiting and stored events. */
  purge(): void {
    for (const stay of this.#stays) {
      this.#isUntold ||= stay.isClaim;
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
    // This page may end before it has read the note. Nobody else gets what it stores under a session that has ended.
    if (!this.#stays.some(({ isClaim }) => isClaim))
      for (const stay of this.#stays) stay.session ??= this.options.sessions.id;
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

  /** The customer of new events that name none. */
  get #customer(): string | undefined {
    return this.options.texts.correlationValue;
  }

  set #customer(customer: string | undefined) {
    this.options.texts.correlationValue = customer;
  }

  #endStay(): void {
    if (this.isDenied) this.#stay.end(undefined, 'denied');
    else if (this.#isUntold) this.#stay.end(this.#customer, 'unidentified');
    this.#isUntold &&= this.isDenied;
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
          if (this.options.hold) await this.#deal(stay);
          // Otherwise `leave()` has just passed it to the journal.
          if (stay.count === 0) this.#stays.shift();
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
    const [session] = await Promise.all([this.options.sessions.read(), this.open()]);
    // Somebody signed out, or in, in another tab.
    if ((stay.session ?? session) !== session) this.#drop(stay, 'unidentified');
    stay.session = session;
    // Consent may have been taken back meanwhile.
    if (this.#consent !== 'pending') await stay.append();
  }

  /** Deals with the events of a stay that has ended, and with the stored ones of its session. */
  async #deal(stay: Stay): Promise<void> {
    const { isClaim, reason } = stay;
    if (reason === 'denied') return void (await this.clear(reason));
    const { sessions } = this.options;
    const session = await (isClaim ? sessions.claim(stay.customer) : sessions.read());
    const { customer } = sessions;
    // Said once, also if the rest fails and is tried again.
    stay.end(customer);
    await this.#leaving;
    const [, next = this.#stay] = this.#stays;
    next.session ??= sessions.id;
    if (session === undefined || (stay.session ?? session) !== session) this.#drop(stay, 'unidentified');
    if (customer !== undefined) this.#release(stay);
    else for (const event of stay.take()) next.push(event);
    // Nobody has said anything since.
    if (next === this.#stay) {
      this.#customer = customer;
      // What was tracked meanwhile comes before what is tracked from here on.
      if (this.isOpen(false)) this.#release(next, customer);
    }
    if (customer !== undefined) await this.alone(() => this.#sendStored(session, customer));
    else if (isClaim) await this.clear('unidentified');
  }

  /** Passes on the stored events of a session, as events of its customer. Drops all others. */
  async #sendStored(session: string | undefined, customer: string): Promise<void> {
    const { waiting, wake } = this.options;
    await this.tidy();
    for (let [first] = this.kept.ranges; first; [first] = this.kept.ranges) {
      const { events, range } = await this.read(first);
      const stamped = stampEvents(events, session, customer);
      // Only the number matters: which index belongs to which event does not matter any more.
      const end = { ...range, to: range.from + stamped.ends.length };
      if (stamped.ends.length > 0) {
        await waiting.replay(stamped);
        this.kept.cut(end);
        wake();
      }
      await this.drop(range, 'unidentified');
    }
  }

  /** Passes on the events in memory if their customer is known. Drops them if they have none. */
  #release(stay: Stay, customer: string | undefined = stay.customer): void {
    if (customer !== undefined)
      for (const event of stay.take())
        this.options.enter({
          ...event,
          text: identified(event.text, customer),
          customer: event.isUnidentified ? customer : event.customer,
        });
    else if (stay.reason !== undefined) this.#drop(stay, stay.reason);
  }

  #drop(stay: Stay, reason: DropReason): void {
    this.ended(reason, [...stay.take()].length);
  }
}
