import type { EventTexts } from '../../accept/event-text.ts';
import type { Waiting } from '../../wait/waiting.ts';
import type { ShelfOptions } from '../shelf.ts';
import type { Sessions } from './sessions.ts';
import type { WaitingEvent } from './stay.ts';

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
