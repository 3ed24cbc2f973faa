import type { Clock } from '@sluice/protocol/toolbox';
import type { ClockOffset } from '../../accept/clock-offset.ts';
import type { Settings } from '../../options/settings.ts';
import type { Breaker } from '../../pace/breaker.ts';
import type { ReadRejected, Transport } from '../../send/http/transport.ts';
import type { Limits } from '../../send/limits.ts';
import type { Requests } from '../../send/requests.ts';
import type { Books } from '../../tell/books.ts';
import type { Reporter } from '../../tell/reporter.ts';
import type { ConsentGate } from '../consent.ts';
import type { Keeper } from '../keep/keeper.ts';
import type { Letters } from '../keep/letters.ts';
import type { Parcels } from '../keep/parcels.ts';
import type { Tabs } from '../keep/tabs.ts';
import type { Bounds } from '../parts.ts';
import type { Batch } from './batch.ts';
import type { Relay } from './relay.ts';

/** What a delivery needs of the other stages. */
export interface DeliveryOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: () => number;
  readonly parcels: Parcels;
  readonly keeper: Keeper;
  readonly gate: Breaker;
  readonly requests: Requests;
  readonly limits: Limits;
  readonly rejected: ReadRejected | undefined;
  /** Undefined: the service itself. */
  readonly relay: Relay | undefined;
  readonly reporter: Reporter;
  readonly books: Books;
  readonly offset: Pick<ClockOffset, 'learn'> | undefined;
  readonly letters: Letters;
  readonly tabs: Pick<Tabs, 'alone' | 'tell'>;
}

/** What the sender needs besides. */
export interface SenderOptions extends DeliveryOptions {
  readonly consent: Pick<ConsentGate, 'isGranted'>;
  readonly transport: Pick<Transport, 'room'>;
  readonly bounds: Bounds | undefined;
  /** Finds what other pages stored and ended. */
  readonly list: () => Promise<unknown>;
}

/** Requests of a page, and what happened since they began. */
export interface Traffic {
  /** Batches that wait for their retry. */
  retries: Batch[];
  running: number;
  /** How often the page was left. */
  left: number;
  /** How often consent was denied. */
  denied: number;
  /** How often a retry was asked for. Answers to requests before it may be about another key. */
  resumed: number;
  isStopped: boolean;
}
