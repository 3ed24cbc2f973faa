import type { EventTexts } from '../../accept/event-text.ts';
import { identified } from '../../accept/unidentified.ts';
import { Alarm } from '../../base/alarm.ts';
import type { DropReason } from '../../base/fate.ts';
import type { Waiting } from '../../wait/waiting.ts';
import { Shelf, type ShelfOptions } from '../shelf.ts';
import type { Sessions } from './sessions.ts';
import { Stay, stampEvents, type WaitingEvent } from './stay.ts';

const RETRY_MS = 30_000;

/** What an admission needs. */
export interface AdmissionOptions extends ShelfOptions {
  /** Whether it holds events without a user. Otherwise there are none. */
  readonly hold: boolean;
  readonly consent: 'pending' | 'granted' | 'denied';
  /** Bounds of the events that wait for consent. */
  readonly buffer: { readonly maxEvents: number; readonly maxBytes: number };
  readonly sessions: Sessions;
  /** Where the customer of new events is set. */
  readonly texts: Pick<EventTexts, 'correlationValue'>;
  /** How long an event may wait in memory to be written together with others, in milliseconds. */
  readonly commitIntervalMs: number;
  /** Passes an event on, to be written and sent. */
  readonly enter: (event: WaitingEvent) => void;
  /** Takes stored events into the tracker's own journal. */
  readonly waiting: Pick<Waiting, 'replay'>;
  /** There is something to send. */
  readonly wake: () => void;
  /** Consent is denied: drops all events elsewhere. */
  readonly purge: () => Promise<void>;
}

/**
 * The stage between `track()` and the ring buffer. Here an event waits until consent is granted and its user is known. It waits for
 * consent in memory. Until its user is known it is stored, without a user. It leaves only once it waits to be sent.
 */
export interface Admission {
  /** Whether an event goes directly to its lane. */
  isOpen(isUnidentified: boolean): boolean;
  readonly isDenied: boolean;
  /** Events that wait here. Those of previous processes count once they are found. */
  readonly pending: number;
  /** Of these, the events that are only in memory. */
  readonly unwritten: number;
  /** Events that wait for their user. */
  readonly held: number;
  /** Takes an event. Without room it is dropped: the first events tell where a customer came from. */
  take(event: WaitingEvent): void;
  /** Held events belong to this customer. Undefined: to nobody; they are dropped, and a new session starts. */
  identify(customer: string | undefined): void;
  setConsent(consent: AdmissionOptions['consent']): void;
  /** Consent is denied: drops all waiting and stored events. */
  purge(): void;
  /** Resolves to true once no event waits in memory; to false if storage fails, or events wait for consent. */
  write(): Promise<boolean>;
  /** The process may end: writes the events before it returns, if the journal can. Throws a StorageError if it fails. */
  leave(): void;
  /** Stores what it can, and closes the journal. */
  close(): Promise<void>;
  /** The tracker is closed: events that no lasting journal holds are dropped. */
  giveUp(): void;
}

export function createAdmission(options: AdmissionOptions): Admission {
  const { buffer, clock, commitIntervalMs, enter, hold, journal, maxBytes } = options;
  const { reporter, sessions, texts, waiting, wake } = options;
  const shelf = new Shelf(options, reporter.settled, found);
  let { consent } = options;
  /** Whether the app has said who the customer is, and no stay has it yet. */
  let isUntold = false;
  /** The current stay. */
  let current = new Stay(shelf);
  /** The current stay, and before it those that have ended and are not dealt with yet. */
  const stays = [current];
  let working: Promise<boolean> | undefined;
  /** Runs until the events are written, or until the next try. */
  const alarm = new Alarm(clock, () => void write());

  function isOpen(isUnidentified: boolean): boolean {
    return consent === 'granted' && !isUnidentified;
  }

  function unwritten(): number {
    return stays.reduce((total, { count }) => total + count, 0);
  }

  function take(event: WaitingEvent, stay: Stay = current): void {
    const bytes = stays.reduce((total, { bytes }) => total + bytes, event.text.length);
    if (isOpen(event.isUnidentified)) enter(event);
    else if (consent === 'denied') reporter.settled('denied', 1);
    else if (event.isUnidentified && journal.bytes + bytes > maxBytes) reporter.settled('journal-full', 1);
    else if (consent === 'pending' && (unwritten() >= buffer.maxEvents || bytes > buffer.maxBytes))
      reporter.settled('buffer-full', 1);
    else {
      stay.push(event);
      // Find the session early: when the process ends, there is no time for it.
      if (stay.session === undefined && !alarm.isSet) void write();
      else alarm.set(commitIntervalMs);
    }
  }

  function setConsent(next: AdmissionOptions['consent']): void {
    if (consent === next) return;
    consent = next;
    if (consent === 'denied') purge();
    if (consent !== 'granted') return;
    for (const stay of stays) for (const event of stay.take()) take(event, stay);
    endStay();
  }

  function purge(): void {
    for (const stay of stays) {
      isUntold ||= stay.isClaim;
      stay.end(undefined, 'denied');
      drop(stay, 'denied');
    }
    endStay();
    options.purge().catch(reporter.storageFailed);
  }

  function write(): Promise<boolean> {
    alarm.cancel();
    working ??= work();
    return working;
  }

  function found(count: number): void {
    reporter.recovered('recovered', count);
    // They belong to a process that ended after this one started.
    if (consent === 'denied' || texts.correlationValue !== undefined) endStay();
  }

  function endStay(): void {
    if (consent === 'denied') current.end(undefined, 'denied');
    else if (isUntold) current.end(texts.correlationValue, 'unidentified');
    isUntold &&= consent === 'denied';
    current = new Stay(shelf);
    stays.push(current);
    void write();
  }

  async function work(): Promise<boolean> {
    try {
      for (;;) {
        // Nothing happens within the call of `track()`.
        await undefined;
        const [stay = current] = stays;
        if (consent === 'pending') return unwritten() === 0;
        if (stay !== current) {
          if (hold) await deal(stay);
          stays.shift();
        } else if (stay.isWaiting) await store(stay);
        else return true;
      }
    } catch (error) {
      alarm.set(RETRY_MS);
      if (consent !== 'pending') for (const stay of stays) release(stay);
      reporter.storageFailed(error);
      return false;
    } finally {
      working = undefined;
    }
  }

  async function store(stay: Stay): Promise<void> {
    // Both at once: the process may end soon.
    const [session] = await Promise.all([sessions.read(), shelf.open()]);
    // Somebody signed out, or in, in another process.
    if ((stay.session ?? session) !== session) drop(stay, 'unidentified');
    stay.session = session;
    // Consent may have been taken back meanwhile.
    if (consent !== 'pending') await stay.append();
  }

  /** Deals with the events of a stay that has ended, and with the stored ones of its session. */
  async function deal(stay: Stay): Promise<void> {
    const { isClaim, reason } = stay;
    if (reason === 'denied') return void (await shelf.clear(reason));
    const session = await (isClaim ? sessions.claim(stay.customer) : sessions.read());
    const { customer } = sessions;
    // Said once, also if the rest fails and is tried again.
    stay.end(customer);
    const [, next = current] = stays;
    next.session ??= sessions.id;
    if (session === undefined || (stay.session ?? session) !== session) drop(stay, 'unidentified');
    if (customer !== undefined) release(stay);
    else for (const event of stay.take()) next.push(event);
    // Nobody has said anything since.
    if (next === current) {
      texts.correlationValue = customer;
      // What was tracked meanwhile comes before what is tracked from here on.
      if (isOpen(false)) release(next, customer);
    }
    if (customer !== undefined) await shelf.use(() => sendStored(session, customer));
    else if (isClaim) await shelf.clear('unidentified');
  }

  /** Passes on the stored events of a session, as events of its customer. Drops all others. */
  async function sendStored(session: string | undefined, customer: string): Promise<void> {
    await shelf.tidy();
    for (let [first] = shelf.kept.ranges; first; [first] = shelf.kept.ranges) {
      const { events, range } = await shelf.read(first);
      const stamped = stampEvents(events, session, customer);
      // Only the number matters: which index belongs to which event does not matter any more.
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
  function release(stay: Stay, customer: string | undefined = stay.customer): void {
    if (customer !== undefined)
      for (const event of stay.take())
        enter({
          ...event,
          text: identified(event.text, customer),
          customer: event.isUnidentified ? customer : event.customer,
        });
    else if (stay.reason !== undefined) drop(stay, stay.reason);
  }

  function drop(stay: Stay, reason: DropReason): void {
    reporter.settled(reason, [...stay.take()].length);
  }

  return {
    isOpen,
    get isDenied() {
      return consent === 'denied';
    },
    get pending() {
      return unwritten() + shelf.kept.count;
    },
    get unwritten() {
      return unwritten();
    },
    get held() {
      return shelf.kept.count + (consent === 'granted' ? unwritten() : 0);
    },
    take,
    identify(customer) {
      // Said twice in a row.
      if (customer !== undefined && customer === texts.correlationValue && stays.at(-2)?.isClaim) return;
      texts.correlationValue = customer;
      isUntold = true;
      endStay();
    },
    setConsent,
    purge,
    write,
    leave() {
      if (consent === 'pending') return;
      // This process may end before it has read the note. Nobody else gets what it stores under a session that has ended.
      if (!stays.some(({ isClaim }) => isClaim)) for (const stay of stays) stay.session ??= sessions.id;
      // Without the session they cannot be stored, but their customer is probably the right one.
      for (const stay of stays) if (stay.customer === undefined || stay.session === undefined) release(stay);
      for (const stay of stays) stay.appendSync();
    },
    async close() {
      await write();
      alarm.cancel();
      await shelf.close();
    },
    giveUp() {
      for (const stay of stays) drop(stay, 'closed');
      if (!journal.survives) for (const range of shelf.kept.ranges) shelf.forget(range, 'closed');
    },
  };
}
