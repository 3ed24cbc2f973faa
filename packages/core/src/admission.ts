import type { DropReason } from './books.ts';
import type { HeldEvents, WaitingEvent } from './held-events.ts';
import type { Limit } from './journal.ts';
import type { Reporter } from './reporter.ts';

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
  readonly reporter: Pick<Reporter, 'settled'>;
}

/** What stands between `track()` and the road of events: consent, and that it is known whose they are. */
export class Admission {
  /** Undefined where no events are held. */
  readonly held: HeldEvents | undefined;
  readonly #options: AdmissionOptions;
  #consent: Consent;
  #customer: string | undefined;
  /** Events, and changes of the identity, in the order in which they came. */
  #waiting: (Arrival | (() => void))[] = [];
  #count = 0;
  #bytes = 0;

  constructor(options: AdmissionOptions) {
    this.held = options.held;
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
    return this.#count + (this.held?.pending ?? 0);
  }

  /** Of these, those in memory alone. */
  get unwritten(): number {
    return this.#count + (this.held?.unwritten ?? 0);
  }

  take(event: Arrival): void {
    const { limit, reporter } = this.#options;
    const { length } = event.text;
    if (this.#consent === 'granted') this.#admit(event);
    else if (this.isDenied) reporter.settled('denied', 1);
    else if (this.#count >= limit.maxEvents || this.#bytes + length > limit.maxBytes)
      reporter.settled('buffer-full', 1);
    else {
      this.#waiting.push(event);
      this.#count += 1;
      this.#bytes += length;
    }
  }

  /** The customer is there whose events are tracked from here on, and were before; or none is any more. */
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
      for (const next of this.#empty()) {
        if (typeof next === 'function') next();
        else this.#admit(next);
      }
      if (this.#customer !== undefined) this.held?.identify(this.#customer);
    } else if (consent === 'denied') this.purge();
  }

  /** Consent is denied: what waits here is dropped, and what is stored too. */
  purge(): void {
    this.#drop('denied');
    this.held?.reset('denied');
    this.#options.purge();
  }

  /** Resolves once no event waits here in memory; to false where that cannot be. */
  async write(): Promise<boolean> {
    return this.#count === 0 && ((await this.held?.write()) ?? true);
  }

  /** What is in memory alone ends here. */
  giveUp(): void {
    this.#drop('closed');
    this.held?.giveUp();
  }

  #admit(event: Arrival): void {
    if (event.isUnidentified) this.held?.hold(event);
    else this.#options.enter(event);
  }

  #drop(reason: DropReason): void {
    const count = this.#count;
    this.#empty();
    this.#options.reporter.settled(reason, count);
  }

  #empty(): (Arrival | (() => void))[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#count = 0;
    this.#bytes = 0;
    return waiting;
  }
}
