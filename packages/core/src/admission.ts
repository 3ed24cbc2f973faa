import type { DropReason } from './base/fate.ts';
import { createHeld, type HeldOptions } from './identity.ts';
import type { Consent } from './options/options.ts';
import type { HeldEvents, WaitingEvent } from './parts/hold/held-events.ts';

/** An event that was accepted. */
export interface Arrival extends WaitingEvent {
  /** Whether it names no user. Told, since to look for it in each text is slow. */
  readonly isUnidentified: boolean;
}

/** What a tracker lends to its admission. */
export interface AdmissionOptions extends HeldOptions {
  readonly letters: { clear(): Promise<number> };
}

/** What stands between `track()` and the road of events: consent, and that it is known whose they are. */
export class Admission {
  /** Undefined where no events are held. */
  readonly held: HeldEvents | undefined;
  readonly #options: AdmissionOptions;
  #consent: Consent;
  #customer: string | undefined;
  /** What lets events in, and changes the identity, in the order in which they came. */
  #waiting: (() => void)[] = [];
  #count = 0;
  #bytes = 0;

  constructor(options: AdmissionOptions) {
    const { consent, unidentified } = options.settings;
    this.held = unidentified.hold ? createHeld(options) : undefined;
    this.#options = options;
    this.#consent = consent;
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
      for (const goOn of this.#empty()) goOn();
      if (this.#customer !== undefined) this.held?.identify(this.#customer);
    } else if (consent === 'denied') this.purge();
  }

  /** Consent is denied: what waits here is dropped, and what is stored too. */
  purge(): void {
    this.#drop('denied');
    this.held?.reset('denied');
    void this.#purgeRoad();
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

  /** What is on the road is dropped, and the dead letters are. */
  async #purgeRoad(): Promise<void> {
    const { journal, lanes, letters, reporter } = this.#options;
    try {
      await lanes.purge();
      // What is being written cannot be taken back before it is.
      await lanes.commit();
      await lanes.purge();
      const count = await letters.clear();
      if (count > 0) reporter.emit('deadLettersDropped', { reason: 'denied', count });
      // What tabs left that are gone may not have been found yet: as soon as it is, it ends too.
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
