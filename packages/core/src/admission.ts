import type { DropReason } from './books.ts';
import type { HeldEvents, WaitingEvent } from './held-events.ts';
import type { Limit } from './journal.ts';

/** `granted`: all goes its way. `pending`: in memory only, until it is known. `denied`: nothing is kept, nor sent. */
export type Consent = 'pending' | 'granted' | 'denied';

/** An event that was accepted. */
export interface Arrival extends WaitingEvent {
  /** Whether it names no user. Told, since to look for it in each text is slow. */
  readonly isUnidentified: boolean;
}

export interface AdmissionOptions {
  readonly consent: Consent;
  /** Where events are held whose user is not known. Left out where there are no such events. */
  readonly held: HeldEvents | undefined;
  /** Bounds of what waits for consent, in memory. */
  readonly limit: Limit;
  /** Puts an event on the road. */
  readonly enter: (event: WaitingEvent) => void;
  /** Drops what is on the road, and what is stored. */
  readonly purge: () => void;
  readonly onDropped: (reason: DropReason, count: number) => void;
}

/** What stands between `track()` and the road of events: consent, and that it is known whose they are. */
export class Admission {
  readonly #options: AdmissionOptions;
  #consent: Consent;
  #customer: string | undefined;
  /** Events, and changes of the identity, in the order in which they came. */
  #waiting: (Arrival | (() => void))[] = [];
  #count = 0;
  #bytes = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#consent = options.consent;
  }

  /** Whether an event goes straight on the road. */
  isOpen(isUnidentified: boolean): boolean {
    return this.#consent === 'granted' && !isUnidentified;
  }

  get isDenied(): boolean {
    return this.#consent === 'denied';
  }

  /** Events that wait here. */
  get pending(): number {
    return this.#count + this.held;
  }

  /** Of these, those whose user is not known. */
  get held(): number {
    return this.#options.held?.pending ?? 0;
  }

  /** Of these, those in memory alone. */
  get unwritten(): number {
    return this.#count + (this.#options.held?.unwritten ?? 0);
  }

  take(event: Arrival): void {
    const { limit, onDropped } = this.#options;
    const { length } = event.text;
    if (this.#consent === 'granted') this.#admit(event);
    else if (this.isDenied) onDropped('denied', 1);
    else if (this.#count >= limit.maxEvents || this.#bytes + length > limit.maxBytes)
      onDropped('buffer-full', 1);
    else {
      this.#waiting.push(event);
      this.#count += 1;
      this.#bytes += length;
    }
  }

  /** The customer is there whose events are tracked from here on, and were before; or none is any more. */
  identify(customer: string | undefined): void {
    this.#customer = customer;
    const { held } = this.#options;
    if (held === undefined) return;
    const change = () => (customer === undefined ? held.reset() : held.identify(customer));
    if (this.#consent === 'granted') change();
    else if (this.#consent === 'pending') this.#waiting.push(change);
  }

  setConsent(consent: Consent): void {
    if (consent === this.#consent) return;
    const { held } = this.#options;
    this.#consent = consent;
    if (consent === 'granted') {
      for (const next of this.#empty()) {
        if (typeof next === 'function') next();
        else this.#admit(next);
      }
      if (this.#customer !== undefined) held?.identify(this.#customer);
    } else if (consent === 'denied') this.purge();
  }

  /** Consent is denied: what waits here is dropped, and what is stored too. */
  purge(): void {
    this.#drop('denied');
    this.#options.held?.reset('denied');
    this.#options.purge();
  }

  /** Resolves once no event waits here in memory; to false where that cannot be. */
  async write(): Promise<boolean> {
    return this.#count === 0 && ((await this.#options.held?.write()) ?? true);
  }

  /** Resolves once what was begun is done, or storage fails. */
  async settled(): Promise<void> {
    await this.#options.held?.settled();
  }

  /** The process may end. */
  writeSync(): void {
    this.#options.held?.writeSync();
  }

  /** The page may end. */
  leave(): void {
    this.#options.held?.leave();
  }

  async close(): Promise<void> {
    await this.#options.held?.close();
  }

  /** What is in memory alone ends here. */
  giveUp(): void {
    const { held, onDropped } = this.#options;
    this.#drop('closed');
    const count = held?.giveUp() ?? 0;
    if (count > 0) onDropped('closed', count);
  }

  #admit(event: Arrival): void {
    const { held, enter } = this.#options;
    if (event.isUnidentified) held?.hold(event);
    else enter(event);
  }

  #drop(reason: DropReason): void {
    const count = this.#count;
    this.#empty();
    if (count > 0) this.#options.onDropped(reason, count);
  }

  #empty(): (Arrival | (() => void))[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#count = 0;
    this.#bytes = 0;
    return waiting;
  }
}
