import type { EventTexts } from '../../accept/event-text.ts';
import { identified } from '../../accept/unidentified.ts';
import { Alarm } from '../../base/alarm.ts';
import type { DropReason } from '../../base/fate.ts';
import type { Waiting } from '../../wait/waiting.ts';
import { Shelf, type ShelfOptions } from '../shelf.ts';
import type { Sessions } from './sessions.ts';
import { Stay, stampEvents, type WaitingEvent } from './stay.ts';

const RETRY_MS = 30_000;

type Consent = 'pending' | 'granted' | 'denied';

interface AdmissionOptions extends ShelfOptions {
  /** Whether it holds events without a user. Otherwise there are none. */
  readonly hold: boolean;
  readonly consent: Consent;
  /** Bounds of the events that wait for consent. */
  readonly buffer: { readonly maxEvents: number; readonly maxBytes: number };
  readonly sessions: Sessions;
  /** Where the customer of new events is set. */
  readonly texts: Pick<EventTexts, 'correlationValue'>;
  readonly commitIntervalMs: number;
  readonly enter: (event: WaitingEvent) => void;
  /** Takes stored events into the tracker's own journal. */
  readonly waiting: Pick<Waiting, 'replay'>;
  readonly wake: () => void;
  /** Consent is denied: drops all events elsewhere. */
  readonly purge: () => Promise<void>;
}

/**
 * The stage between `track()` and the ring buffer. Here an event waits for consent, in memory, and for its user, in a journal. It
 * leaves once it waits to be sent.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #shelf: Shelf;
  /** Runs until the events are written, or until the next try. */
  readonly #alarm: Alarm;
  #consent: Consent;
  /** Whether the app has set the customer, and no stay has it yet. */
  #isUntold = false;
  #current: Stay;
  /** The current stay, and before it those that have ended and are not dealt with yet. */
  readonly #stays: Stay[];
  #working: Promise<boolean> | undefined;
  #purging: Promise<void> | undefined;

  constructor(options: AdmissionOptions) {
    const { clock, consent, reporter } = options;
    this.#options = options;
    this.#consent = consent;
    this.#shelf = new Shelf(options, reporter.settled, (count) => this.#found(count));
    this.#alarm = new Alarm(clock, () => void this.write());
    this.#current = new Stay(this.#shelf);
    this.#stays = [this.#current];
  }

  /** Whether an event need not wait here. */
  isOpen(isUnidentified: boolean): boolean {
    return this.#consent === 'granted' && !isUnidentified;
  }

  get isDenied(): boolean {
    return this.#consent === 'denied';
  }

  /** Events that wait here. Those of previous processes count once they are found. */
  get pending(): number {
    return this.unwritten + this.#shelf.kept.count;
  }

  /** Events that are only in memory. */
  get unwritten(): number {
    return this.#stays.reduce((total, { count }) => total + count, 0);
  }

  /** Events that wait for their user. */
  get held(): number {
    return this.#shelf.kept.count + (this.#consent === 'granted' ? this.unwritten : 0);
  }

  /** Takes an event. Without room it is dropped: the first events tell where a customer came from. */
  take(event: WaitingEvent, stay: Stay = this.#current): void {
    const { buffer, commitIntervalMs, enter, journal, maxBytes, reporter } = this.#options;
    const bytes = this.#stays.reduce((total, { bytes }) => total + bytes, event.text.length);
    if (this.isOpen(event.isUnidentified)) enter(event);
    else if (this.isDenied) reporter.settled('denied', 1);
    else if (event.isUnidentified && journal.bytes + bytes > maxBytes) reporter.settled('journal-full', 1);
    else if (this.#consent === 'pending' && (this.unwritten >= buffer.maxEvents || bytes > buffer.maxBytes))
      reporter.settled('buffer-full', 1);
    else {
      stay.push(event);
      // Find the session early: when the process ends, there is no time for it.
      if (stay.session === undefined && !this.#alarm.isSet) void this.write();
      else this.#alarm.set(commitIntervalMs);
    }
  }

  /** Held events belong to this customer. Undefined: to nobody; they are dropped, and a new session starts. */
  identify(customer: string | undefined): void {
    const { texts } = this.#options;
    // The same call twice in a row.
    if (customer !== undefined && customer === texts.correlationValue && this.#stays.at(-2)?.isClaim) return;
    texts.correlationValue = customer;
    this.#isUntold = true;
    this.#endStay();
  }

  setConsent(consent: Consent): void {
    if (this.#consent === consent) return;
    this.#consent = consent;
    if (this.isDenied) this.purge();
    if (consent !== 'granted') return;
    for (const stay of this.#stays) for (const event of stay.take()) this.take(event, stay);
    this.#endStay();
  }

  /** Consent is denied: drops all waiting and stored events. */
  purge(): void {
    const { purge, reporter } = this.#options;
    for (const stay of this.#stays) {
      this.#isUntold ||= stay.isClaim;
      stay.end(undefined, 'denied');
      this.#drop(stay, 'denied');
    }
    this.#endStay();
    this.#purging = purge().catch(reporter.storageFailed);
  }

  /** Resolves to true once no event waits in memory; to false if storage fails, or events wait for consent. */
  write(): Promise<boolean> {
    this.#alarm.cancel();
    this.#working ??= this.#work();
    return this.#working;
  }

  /** Resolves once the held events survive a power cut. */
  async sync(): Promise<void> {
    if (this.#shelf.kept.count > 0) await this.#options.journal.sync();
  }

  /** The process may end: writes the events before it returns, if the journal can. Throws a StorageError if it fails. */
  leave(): void {
    const { sessions } = this.#options;
    const stays = this.#stays;
    if (this.#consent === 'pending') return;
    // This process may end before it has read the note. Nobody else gets what it stores under a session that has ended.
    if (!stays.some(({ isClaim }) => isClaim)) for (const stay of stays) stay.session ??= sessions.id;
    // Without the session they cannot be stored, but their customer is probably the right one.
    for (const stay of stays)
      if (stay.customer === undefined || stay.session === undefined) this.#release(stay);
    for (const stay of stays) stay.appendSync();
  }

  async close(): Promise<void> {
    await this.write();
    this.#alarm.cancel();
    await this.#purging;
    await this.#shelf.close();
  }

  /** The tracker is closed: events that no lasting journal holds are dropped. */
  giveUp(): void {
    for (const stay of this.#stays) this.#drop(stay, 'closed');
    if (this.#options.journal.survives) return;
    for (const range of this.#shelf.kept.ranges) this.#shelf.forget(range, 'closed');
  }

  #found(count: number): void {
    const { reporter, texts } = this.#options;
    reporter.recovered('recovered', count);
    // They belong to a process that ended after this one started.
    if (this.isDenied || texts.correlationValue !== undefined) this.#endStay();
  }

  #endStay(): void {
    if (this.isDenied) this.#current.end(undefined, 'denied');
    else if (this.#isUntold) this.#current.end(this.#options.texts.correlationValue, 'unidentified');
    this.#isUntold &&= this.isDenied;
    this.#current = new Stay(this.#shelf);
    this.#stays.push(this.#current);
    void this.write();
  }

  async #work(): Promise<boolean> {
    const { hold, reporter } = this.#options;
    const stays = this.#stays;
    try {
      for (;;) {
        // Nothing happens within the call of `track()`.
        await undefined;
        const [stay = this.#current] = stays;
        if (this.#consent === 'pending') return this.unwritten === 0;
        if (stay !== this.#current) {
          if (hold) await this.#deal(stay);
          // Without a shelf all that have ended: thousands of calls of identify() may come at once.
          stays.splice(0, hold ? 1 : stays.length - 1);
        } else if (stay.count > 0) await this.#store(stay);
        else return true;
      }
    } catch (error) {
      this.#alarm.set(RETRY_MS);
      if (this.#consent !== 'pending') for (const stay of stays) this.#release(stay);
      reporter.storageFailed(error);
      return false;
    } finally {
      this.#working = undefined;
    }
  }

  async #store(stay: Stay): Promise<void> {
    // Both at once: the process may end soon.
    const [session] = await Promise.all([this.#options.sessions.read(), this.#shelf.open()]);
    // Somebody signed out, or in, in another process.
    if ((stay.session ?? session) !== session) this.#drop(stay, 'unidentified');
    stay.session = session;
    // Consent may have been taken back meanwhile.
    if (this.#consent !== 'pending' && stay.count > 0) await stay.append();
  }

  /** Deals with the events of a stay that has ended, and with the stored ones of its session. */
  async #deal(stay: Stay): Promise<void> {
    const { sessions, texts } = this.#options;
    const { isClaim, reason } = stay;
    if (reason === 'denied') return void (await this.#shelf.clear(reason));
    const session = await (isClaim ? sessions.claim(stay.customer) : sessions.read());
    // Consent was denied meanwhile: the next stay clears the shelf.
    if (stay.reason === 'denied') return;
    const { customer } = sessions;
    // The claim is made, even if the rest fails and is tried again.
    stay.end(customer);
    const [, next = this.#current] = this.#stays;
    next.session ??= sessions.id;
    if (session === undefined || (stay.session ?? session) !== session) this.#drop(stay, 'unidentified');
    if (customer !== undefined) this.#release(stay);
    else for (const event of stay.take()) next.push(event);
    // There was no other change of the customer since.
    if (next === this.#current) {
      texts.correlationValue = customer;
      // Events tracked meanwhile go before later ones.
      if (this.isOpen(false)) this.#release(next, customer);
    }
    if (customer !== undefined) await this.#shelf.use(() => this.#sendStored(stay, session, customer));
    else if (isClaim) await this.#shelf.clear('unidentified');
  }

  /** Passes on the stored events of a session, as events of its customer. Drops all others. */
  async #sendStored(stay: Stay, session: string | undefined, customer: string): Promise<void> {
    const { waiting, wake } = this.#options;
    const shelf = this.#shelf;
    await shelf.tidy();
    for (let [first] = shelf.kept.ranges; first; [first] = shelf.kept.ranges) {
      const { events, range } = await shelf.read(first);
      if (stay.reason === 'denied') return;
      const stamped = stampEvents(events, session, customer);
      // Only the number of events matters now, not their indexes.
      const end = { ...range, to: range.from + stamped.ends.length };
      if (stamped.ends.length > 0) {
        await waiting.replay(stamped, () => {
          shelf.kept.cut(end);
          wake();
        });
      }
      await shelf.drop(range, 'unidentified');
    }
  }

  /** Passes on the events in memory if their customer is known. Drops them if they have none. */
  #release(stay: Stay, customer: string | undefined = stay.customer): void {
    if (customer !== undefined)
      for (const event of stay.take())
        this.#options.enter({
          ...event,
          text: identified(event.text, customer),
          customer: event.isUnidentified ? customer : event.customer,
        });
    else if (stay.reason !== undefined) this.#drop(stay, stay.reason);
  }

  #drop(stay: Stay, reason: DropReason): void {
    this.#options.reporter.settled(reason, [...stay.take()].length);
  }
}
