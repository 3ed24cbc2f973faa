import type { Event } from '@sluice/protocol';

/** An event to store: its fields, and its JSON text as received. */
export interface ReceivedEvent {
  readonly event: Event;
  readonly text: string;
}

/** An event as the event tracker stores it. */
export interface StoredEvent {
  /** The event as it was first received. */
  readonly event: Event;
  /** Its uuid in lower case; undefined if it came without one. */
  readonly uuid: string | undefined;
  /** When it was first received: ISO 8601 UTC with milliseconds. */
  readonly receivedAt: string;
  /** How many times its uuid was received, at least 1. Always 1 without a uuid. */
  readonly deliveries: number;
  /** Whether its `correlationKey` is the selected primary key and a customer with its `correlationValue` exists now. */
  readonly attributed: boolean;
}

/** How many events are stored. Those that were removed (`maxEvents`) do not count. */
export interface EventCounts {
  /** A repeated uuid counts once. */
  readonly unique: number;
  /** Every repeat of a uuid counts. */
  readonly received: number;
}

/** What events can be counted by: their name or their `correlationValue`. */
export type EventDimension = 'event' | 'correlationValue';

/** One value and the number of unique events that have it. */
export interface ValueCount {
  readonly value: string;
  readonly count: number;
}
