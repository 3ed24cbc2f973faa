import type { DropReason } from './base/fate.ts';
import { createHeld, type HeldOptions } from './identity.ts';
import type { Consent } from './options/options.ts';
import type { HeldEvents, WaitingEvent } from './parts/hold/held-events.ts';

/** An accepted event. */
export interface Arrival extends WaitingEvent {
  /** Whether it names no user. Passed along, because searching each text for it is slow. */
  readonly isUnidentified: boolean;
}

/** What the tracker passes to its admission. */
export interface AdmissionOptions extends HeldOptions {
  readonly letters: { clear(): Promise<number> };
}

/** The stage between `track()` and the lanes. Here an event waits until consent is granted and its user is known. */
export class Admission {
  /** Undefined if events without a user are not held. */
  readonly held: HeldEvents | undefined;
  readonly #options: AdmissionOptions;
  #consent: Consent;
  #customer: string | undefined;
  /** Events and changes of the identity that wait for consent, in their order. A call applies one. */
  #waiting: (() => void)[] = [];
  #count = 0;
  #bytes = 0;

  constructor(options: AdmissionOptions) {
    const { consent, unidentified } = options.settings;
    this.held = unidentified.hold ? createHeld(options) : undefined;
    this.#options = options;
    this.#consent = consent;
  }

  /** Whether an event goes directly to its lane. */
  isOpen(isUnidentified: boolean): boolean {
    return this.#consent === 'granted' && !isUnidentified;
  }

  get isDenied(): boolean {
    return this.#consent === 'denied';
  }

  /** Events that wait here. */
  get pending(): number {
    return this.#count + (this.held?.pending ?? 0);
  }

  /** Of these, the events that are only in memory. */
  get unwritten(): number {
    return this.#count + (this.held?.unwritten ?? 0);
  }

  take(event: Arrival): void {
    const { settings, reporter } = this.#options;
    const { maxBytes, maxEvents } = settings.buffer;
    const { length } = event.text;
    if (this.#consent === 'granted') this.#admit(event);
    else if (this.isDenied) reporter.settled('denied', 1);
    else if (this.#count >= maxEvents || this.#bytes + length > maxBytes) reporter.settled('buffer-full', 1);
    else {
      this.#waiting.push(() => this.#admit(event));
      this.#count += 1;
      this.#bytes += length;
    }
  }

  /** Sets the customer of held and later events; undefined after a sign-out. */
  identify(customer: string | undefined): void {
    this.#customer = customer;
    const { held } = this;
    if (held === undefined) return;
    const change = () => (customer === undefined ? held.reset() : held.identify(customer));
    if (this.#consent === 'granted') change();
    else if (this.#consent === 'pending') this.#waiting.push(change);
  }

  setConsent(consent: Consent): void {
    if (consent === this.#consent) return;
    this.#consent = consent;
    if (consent === 'granted') {
      for (const goOn of this.#empty()) goOn();
      if (this.#customer !== undefined) this.held?.identify(this.#customer);
    } else if (consent === 'denied') this.purge();
  }

  /** Consent is denied: drops all waiting and stored events. */
  purge(): void {
    this.#drop('denied');
    this.held?.reset('denied');
    void this.#purgeRoad();
  }

  /** Resolves to true once no event waits here in memory; to false if events wait for consent, or storage fails. */
  async write(): Promise<boolean> {
    return this.#count === 0 && ((await this.held?.write()) ?? true);
  }

  /** Drops the events that are only in memory, because the tracker closes. */
  giveUp(): void {
    this.#drop('closed');
    this.held?.giveUp();
  }

  #admit(event: Arrival): void {
    if (event.isUnidentified) this.held?.hold(event);
    else this.#options.enter(event);
  }

  /** Drops the events in the lanes, and the dead letters. */
  async #purgeRoad(): Promise<void> {
    const { journal, lanes, letters, reporter } = this.#options;
    try {
      await lanes.purge();
      // An append in progress cannot be cancelled: let it finish, then purge again.
      await lanes.commit();
      await lanes.purge();
      const count = await letters.clear();
      if (count > 0) reporter.emit('deadLettersDropped', { reason: 'denied', count });
      // Events of closed tabs may not be found yet. The refresh finds them, and they are dropped then.
      await journal.sharing?.refresh();
    } catch (error) {
      reporter.storageFailed(error);
    }
  }

  #drop(reason: DropReason): void {
    const count = this.#count;
    this.#empty();
    this.#options.reporter.settled(reason, count);
  }

  #empty(): (() => void)[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#count = 0;
    this.#bytes = 0;
    return waiting;
  }
}
