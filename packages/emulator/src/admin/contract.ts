// What the routes of the emulator take and answer, as JSON: the README has the routes. Times are ISO 8601 UTC with milliseconds.
// Lists are newest first.
import type { Customer } from '@sluice/protocol';
import type { Behaviour, BehaviourSettings } from '../behaviour/behaviour.ts';
import type { PresetName } from '../behaviour/presets.ts';
import type { RefusalBody } from '../events/refusal.ts';
import type { EventCounts, StoredEvent, ValueCount } from '../events/tracked-events.ts';
import type { Fault, FaultHandle, Script } from '../faults/fault.ts';
import type { SearchFilter } from '../storage/event-filter.ts';

/** `GET status`, and the event `status` of `GET live`: the current state of the emulator. */
export interface Status extends EventCounts {
  readonly baseUrl: string;
  readonly apiUrl: string;
  readonly primaryKey: string | null;
  /** Whether pages and routes need the operator's token. */
  readonly needsToken: boolean;
  /** Name of the current preset, and whether single settings differ from it. */
  readonly preset: string;
  readonly isPresetChanged: boolean;
  /** The directory that stores everything; null if everything is in memory. */
  readonly data: string | null;
  /** When the emulator started. Another emulator at the same address may begin anew with ids. */
  readonly startedAt: string;
  /** Whether there is any customer. */
  readonly hasCustomers: boolean;
  /** Increases with every change of the customers or the primary key. */
  readonly audience: number;
  /** How many of the newest events are kept; null for all. */
  readonly maxEvents: number | null;
  /** Ids of the newest event and the newest request; 0 if there is none. Ids increase by one. */
  readonly newestEvent: number;
  readonly newestRequest: number;
  /** How many stored events are not in the search index yet. A search finds them too, only slower. */
  readonly unindexed: number;
  /** Number of faults that may act on a request now. */
  readonly activeFaults: number;
  /** How often everything was deleted: `POST clear`. */
  readonly clearings: number;
}

/**
 * The event `rates` of `GET live`: new events of one second. The stream sends the last minutes first, then each second as it
 * ends.
 */
export interface Rates {
  /** Seconds since 1970. */
  readonly second: number;
  /** Unique events received in that second, by name. Names beyond the first hundred count under `''`. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Filter of events, as text: times in ISO 8601, `attributed` as `true` or `false`. */
export type TrackerFilter = { readonly [Name in keyof SearchFilter]?: string };

/** Rows of a list, newest first. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  /**
   * Pass it as `before` to get the next rows; null if there are none. A search ends after half a second. Then it may return fewer
   * rows than `limit`, or none, although older ones match.
   */
  readonly next: number | null;
  /** The newest id that there was. From there down to `next`, the answer has all that match. */
  readonly newest: number;
}

/** `GET events`. */
export type TrackerRows = Page<TrackerRow>;

/** An event in the list. */
export interface TrackerRow extends Pick<StoredEvent, 'receivedAt' | 'deliveries' | 'attributed'> {
  readonly id: number;
  readonly name: string;
  readonly correlationValue: string;
  readonly source: string;
  readonly uuid: string | null;
  /** The beginning of the payload's JSON text; empty if that comes after the first 8,192 characters of the event. */
  readonly preview: string;
  /** Of each of the `keys`, the beginning of the value's JSON text; null if there is none. */
  readonly values: readonly (string | null)[];
}

/** `GET events/count`. */
export interface TrackerCount {
  readonly count: number;
  /** False if there may be more events than were counted: counting ends at 100,000, or after 200 ms. */
  readonly isExact: boolean;
}

/** `GET events/values`: at most 20, most frequent first. */
export interface TrackerValues {
  readonly values: readonly ValueCount[];
}

/** `GET catalogue`: names, most frequent first. */
export interface Catalogue {
  /** At most 1,000. */
  readonly entries: readonly CatalogueEntry[];
  /** Number of events that were counted, and whether these are all. */
  readonly counted: number;
  readonly isExact: boolean;
}

/** A name of events. */
export interface CatalogueEntry {
  readonly name: string;
  readonly count: number;
  readonly firstAt: string;
  readonly lastAt: string;
  /** Number of events whose payload was read. */
  readonly read: number;
  /** At most 200. */
  readonly keys: readonly CatalogueKey[];
}

/** A key of payloads. */
export interface CatalogueKey {
  /** As in a condition, without `payload.`: `address.city`. */
  readonly path: string;
  /** Number of payloads that have it, and how many of them have which type of JSON. */
  readonly count: number;
  readonly types: Readonly<Record<string, number>>;
}

/** `GET events/ID`: all details of one event. Only the operator may read it. */
export interface TrackerEvent extends TrackerRow {
  /** The event's JSON text, exactly as received. */
  readonly text: string;
  /** The request that first brought it; null if that request is no longer stored. */
  readonly request: RequestRow | null;
  /** Later deliveries of its uuid, oldest first: at most the latest 1,000. */
  readonly repeats: readonly { readonly receivedAt: string; readonly requestId: number }[];
  readonly customer: Customer | null;
}

/** `GET requests`. */
export type RequestRows = Page<RequestRow>;

/** A request to an endpoint of the interface. */
export interface RequestRow {
  readonly id: number;
  readonly receivedAt: string;
  readonly method: string;
  readonly path: string;
  /** Null if there was no answer, because the connection was cut. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Size of the body: as received, or if it was not read, as its Content-Length says. Null if there is none either. */
  readonly bytes: number | null;
  /** Number of its events; null if it was refused before they were counted, or if it is not a batch. */
  readonly events: number | null;
  readonly repeated: number | null;
  /** Id of its first new event; its other new events have the ids that follow. Null if it brought none. */
  readonly firstEvent: number | null;
  /** Name of the API key; null if the request had no valid key. */
  readonly keyName: string | null;
  readonly userAgent: string | null;
  /** Why it was refused, or why events of it were left out, in the words of the answer. */
  readonly error: RefusalBody['error'] | null;
  /** Whether the service took it, or events of it, and answered. False if a fault answered instead. */
  readonly isTaken: boolean;
  /** The faults that acted on it, in words. */
  readonly fault: string | null;
}

/** `GET requests/ID`: a request with its content. */
export interface RequestDetails extends RequestRow {
  /** Null if it is no longer kept: the emulator keeps that of the last 200 refused requests and of the last 200 others. */
  readonly content: RequestContent | null;
  /** Whether `POST requests/ID/again` can send it again: only if its whole body was kept. */
  readonly isRepeatable: boolean;
}

/** What was sent, and what was answered. Of a text, the first 64 KiB are kept. Secrets in headers are masked. */
export interface RequestContent extends KeptText {
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined if the connection was cut instead of an answer. */
  readonly answer: (KeptText & { readonly headers: readonly (readonly [string, string])[] }) | undefined;
}

interface KeptText {
  readonly body: string;
  /** Whether `body` is only the beginning. */
  readonly isCut: boolean;
}

/** `POST requests/ID/again`, and `POST requests/test-event`: the status of the answer; null if there is none within 5 seconds. */
export interface SentRequest {
  readonly status: number | null;
}

/** `GET keys`: all API keys, newest first. */
export interface KeyRows {
  readonly keys: readonly KeyRow[];
}

/** An API key. */
export interface KeyRow {
  readonly id: number;
  readonly key: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}

/** `GET behaviour`, and the answer to `PUT behaviour`. */
export interface BehaviourState {
  readonly preset: PresetName;
  /** Whether single settings differ from the preset. */
  readonly isChanged: boolean;
  /** The complete current behaviour. */
  readonly behaviour: Behaviour;
}

/** The body of `PUT behaviour`. Settings that it does not name are those of the preset. A data directory stores the choice. */
export interface BehaviourChange {
  /** Default: the current one. */
  readonly preset?: PresetName | undefined;
  /** Default: none. */
  readonly behaviour?: BehaviourSettings | undefined;
}

/** `GET faults`. */
export interface FaultRows {
  /** Seed of the random choices, for `percent` and jitter. */
  readonly seed: number;
  readonly faults: readonly FaultRow[];
}

/** A fault that was switched on. */
export interface FaultRow extends Pick<FaultHandle, 'id' | 'hits' | 'state'> {
  /** The fault as given, with its `kind`. */
  readonly fault: Fault | Script;
  /** What it does, in a sentence. */
  readonly words: string;
  /** Index of the current step of a script, from 0; null for a single fault. */
  readonly step: number | null;
  /** How many more requests it may act on; null if it has no limit, and for scripts. */
  readonly remaining: number | null;
  /** When it is over; null if that is not known, or if it has no end. */
  readonly endsAt: string | null;
}
