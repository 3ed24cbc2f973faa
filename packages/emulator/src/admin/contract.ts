// What the pages and the admin routes say to each other: JSON, below {api_url}/emulator/admin/. Times are ISO 8601 UTC with
// milliseconds. Lists are newest first and are read on with `before`, the id of the last row that one has.
import type { Customer } from '@sluice/protocol';
import type { Behaviour, BehaviourSettings } from '../behaviour.ts';
import type { Fault, Script } from '../faults/fault.ts';
import type { Preset, PresetName } from '../presets.ts';
import type { RefusalBody } from '../refusal.ts';

/** `GET status`, and the event `status` of `GET live`: what is to be known at any moment. */
export interface Status {
  readonly baseUrl: string;
  readonly apiUrl: string;
  readonly primaryKey: string | null;
  /** Name of the preset that the service answers by, and whether single settings differ from it. */
  readonly preset: string;
  readonly isPresetChanged: boolean;
  /** The directory that keeps everything; null where it is in memory only. */
  readonly data: string | null;
  /** When the emulator started: another one at the same address may begin anew with ids. */
  readonly startedAt: string;
  /** Counts up with every change of customers and primary key. */
  readonly audience: number;
  /** Events stored, and received with repeats. */
  readonly unique: number;
  readonly received: number;
  /** Ids of the newest event and request; 0 where there is none. They count up by one. */
  readonly newestEvent: number;
  readonly oldestEvent: number;
  readonly newestRequest: number;
  /** How many stored events are not in the search index yet. They are found all the same, only slower. */
  readonly unindexed: number;
  /** Faults that may act on a request now. */
  readonly activeFaults: number;
}

/** The event `rates` of `GET live`: events received in one second. First come the last minutes, then each second. */
export interface Rates {
  /** Seconds since 1970. */
  readonly second: number;
  /** Unique events received in it, by name: the most frequent names, all others under `''`. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Search fields of `GET tracker`, `GET tracker/count` and `GET tracker/export`; all that are given must match. */
export interface TrackerFilter {
  readonly name?: string;
  readonly correlationValue?: string;
  readonly source?: string;
  /** Words that name, customer or payload must contain; the last one may be the beginning of a word. */
  readonly text?: string;
  /** Received from here on, and before: ISO 8601. */
  readonly from?: string;
  readonly to?: string;
  /** `true`: of a known customer; `false`: of none. */
  readonly attributed?: 'true' | 'false';
}

/** `GET tracker`: with the fields of a filter, `before` (an event's id) and `limit` (100 unless given, at most 1,000). */
export interface TrackerRows {
  readonly rows: readonly TrackerRow[];
  /** Whether older ones may match as well. */
  readonly hasMore: boolean;
  /**
   * `before` of what follows; null where nothing does. A search ends after half a second: then there may be fewer rows than
   * asked for, or none, though there is more.
   */
  readonly next: number | null;
}

/** An event in the list. */
export interface TrackerRow {
  readonly id: number;
  readonly name: string;
  readonly correlationValue: string;
  readonly source: string;
  readonly receivedAt: string;
  readonly uuid: string | null;
  readonly deliveries: number;
  readonly attributed: boolean;
  /** The beginning of the payload's JSON text. */
  readonly preview: string;
}

/** `GET tracker/count`. */
export interface TrackerCount {
  readonly count: number;
  /** False where there may be more than were counted: counting ends at 100,000, or after 200 ms. */
  readonly isExact: boolean;
}

/**
 * `GET tracker/values?field=name|source|correlationValue&start=…`: values in use that begin with `start`, without regard to
 * case, most frequent first, at most 20. Counted over the newest 20,000 events, and over all for what is in none of them.
 */
export interface TrackerValues {
  readonly values: readonly { readonly value: string; readonly count: number }[];
}

/** `GET tracker/ID`: all that is known of one event. */
export interface TrackerEvent extends TrackerRow {
  /** The event as JSON text, exactly as it came. */
  readonly text: string;
  /** The request in which it came first; null where that is no longer kept. */
  readonly request: RequestRow | null;
  /** Later deliveries of its uuid, oldest first. */
  readonly repeats: readonly { readonly receivedAt: string; readonly requestId: number }[];
  readonly customer: Customer | null;
}

/** `GET requests`: with `before`, `limit`, and `outcome` (`taken`, `refused` or `fault`); `GET requests/ID` is one of them. */
export interface RequestRows {
  readonly rows: readonly RequestRow[];
  readonly hasMore: boolean;
}

/** A request that an endpoint of the interface was sent. */
export interface RequestRow {
  readonly id: number;
  readonly receivedAt: string;
  readonly method: string;
  readonly path: string;
  /** Null where no answer was given: the connection was cut. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Size of the body as it came. */
  readonly bytes: number;
  /** Events in it; null where it was refused before they were looked at, or is no batch. */
  readonly events: number | null;
  readonly repeated: number | null;
  /** Id of the first event that it brought; those that follow are of it too. Null where it brought none. */
  readonly firstEvent: number | null;
  /** Name of the API key; null where it had none that is valid. */
  readonly keyName: string | null;
  readonly userAgent: string | null;
  /** Why it was refused, in the words of the answer. */
  readonly error: RefusalBody['error'] | null;
  /** The fault that acted on it, in words. */
  readonly fault: string | null;
}

/** `GET primary-key`; `PUT primary-key {primaryKey}` selects one, and takes effect at once at both endpoints. */
export interface PrimaryKeyChoices {
  readonly primaryKey: string | null;
  /** Names of attributes that the newest customers have as strings, most frequent first. */
  readonly attributes: readonly string[];
}

/** `GET primary-key/preview?primaryKey=NAME`: what selecting it would change. */
export interface PrimaryKeyPreview {
  readonly primaryKey: string;
  /** Customers with a value of it, and those without, who are not found any more. */
  readonly found: number;
  readonly without: number;
  /** A value that two customers share, for which it would be refused; else null. */
  readonly shared: string | null;
  readonly events: AttributionPreview;
}

/** Of the newest events (10,000 at most), those that are of a known customer now, and those that would be. */
export interface AttributionPreview {
  readonly looked: number;
  readonly attributedNow: number;
  readonly attributedThen: number;
}

/**
 * `GET customers?search=…&value=…&before=ID&offset=N&limit=…`, the newest first; `value` is one of the primary key, in full;
 * `offset` rows are left out at the beginning.
 * `POST customers {attributes}` makes one, and answers with its row.
 */
export interface CustomerRows {
  readonly customers: readonly CustomerRow[];
  /** How many match, read on or not. */
  readonly total: number;
  readonly hasMore: boolean;
}

/** `GET customers/ID`: a customer. `PUT customers/ID {attributes}` replaces all of them, `DELETE customers/ID` takes it away. */
export interface CustomerRow {
  readonly id: number;
  /** Null for a customer without the selected primary key: stored, but not found. */
  readonly primaryKeyValue: string | null;
  readonly attributes: Customer;
}

/**
 * `POST customers/import`, text/csv with names of attributes in the first line; 422 where there is any problem, and then
 * nothing is imported. With `?preview=true` nothing is imported in any case, and problems are told.
 */
export interface CustomerImport {
  /** Names of attributes, as in the first line. */
  readonly columns: readonly string[];
  /** Customers in it. */
  readonly lines: number;
  readonly added: number;
  readonly replaced: number;
  /** The first few. */
  readonly sample: readonly Customer[];
  /** The first hundred. */
  readonly problems: readonly { readonly line: number; readonly message: string }[];
  readonly problemCount: number;
}

/** `GET keys`: all of them, the newest first. */
export interface KeyRows {
  readonly keys: readonly KeyRow[];
}

/** `POST keys {name}` makes an API key, `PATCH keys/ID {name}` names it, `DELETE keys/ID` revokes it; each answers with its row. */
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
  /** What holds now, complete. */
  readonly behaviour: Behaviour;
  readonly presets: Readonly<Record<PresetName, Preset>>;
}

/** `PUT behaviour` takes it: what is not named is as the preset has it. A data directory keeps it. */
export interface BehaviourChange {
  /** Default: the one that holds now. */
  readonly preset?: PresetName | undefined;
  /** Default: none. */
  readonly behaviour?: BehaviourSettings | undefined;
}

/**
 * `GET faults`, the newest first. `POST faults` takes a fault, a script, or an array of faults, which is a script, and answers
 * with its row; `DELETE faults/ID` ends one and `DELETE faults` all of them, and takes them off the list.
 */
export interface FaultRows {
  /** What the choices of `percent` and jitter come from. */
  readonly seed: number;
  readonly faults: readonly FaultRow[];
}

/** A fault that was switched on. */
export interface FaultRow {
  readonly id: number;
  /** As it was given, with its `kind`. */
  readonly fault: Fault | Script;
  /** What it does, in a sentence. */
  readonly words: string;
  /** `waiting` for its time; `active`, so that it may act on a request now; or `over`. */
  readonly state: 'waiting' | 'active' | 'over';
  /** Of a script: the step under way, from 0. */
  readonly step: number | null;
  /** How many requests it acted on. */
  readonly hits: number;
  /** How many more it may act on; null where there is no bound, or only that of a script's steps. */
  readonly remaining: number | null;
  /** When its time is over; null where that is not known, or it has no end. */
  readonly endsAt: string | null;
}
