import { describe, InvalidEventError, isNonEmptyString, isTimestamp, isUuid } from '@sluice/protocol';
import { checkedPayload } from './payload.ts';
import { uuid as newUuid } from './uuid.ts';

/** What can be said of one event besides its name and payload. */
export interface TrackOptions {
  /** The user it belongs to. Default: the value given to `identify()`. */
  readonly correlationValue?: string | undefined;
  /** When it happened: a Date, milliseconds since 1970, or ISO 8601 UTC with milliseconds. Default: now. */
  readonly timestamp?: Date | number | string | undefined;
  /** Default: a new random UUID. */
  readonly uuid?: string | undefined;
  /** Default: the tracker's `source`. */
  readonly source?: string | undefined;
  /** `high`: written and sent at once, before others, and given up last where there is no room. Default: `normal`. */
  readonly priority?: 'normal' | 'high' | undefined;
}

/** What all events of a tracker have in common. */
export interface EventDefaults {
  readonly correlationKey: string;
  readonly correlationValue: string | undefined;
  readonly source: string;
  readonly now: number;
}

const OPTION_NAMES: ReadonlySet<string> = new Set([
  ...['correlationValue', 'timestamp', 'uuid', 'source', 'priority'],
]);
const PRIORITIES: ReadonlySet<unknown> = new Set([undefined, 'normal', 'high']);

/** Stamps an event and makes its JSON text, once and for all. Throws an InvalidEventError that names the field at fault. */
export function createEventText(
  name: unknown,
  payload: unknown,
  options: TrackOptions,
  defaults: EventDefaults,
): string {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw refusal('options', 'must be an object', options);
  }
  for (const option of Object.keys(options)) {
    if (!OPTION_NAMES.has(option)) throw unknownOption(option);
  }
  const correlationValue = options.correlationValue ?? defaults.correlationValue;
  const source = options.source ?? defaults.source;
  const uuid = options.uuid ?? newUuid();
  if (!isNonEmptyString(name)) throw refusal('event', 'must be a non-empty string', name);
  if (!isNonEmptyString(correlationValue)) {
    const hint = 'must be a non-empty string, given to track() or before by identify()';
    throw refusal('correlationValue', hint, correlationValue);
  }
  if (!isNonEmptyString(source)) throw refusal('source', 'must be a non-empty string', source);
  if (options.uuid !== undefined && !isUuid(uuid)) throw refusal('uuid', 'must be a UUID', uuid);
  if (!PRIORITIES.has(options.priority)) {
    throw refusal('priority', 'must be "normal" or "high"', options.priority);
  }
  return JSON.stringify({
    event: name,
    correlationKey: defaults.correlationKey,
    correlationValue,
    source,
    timestamp: isoTime(options.timestamp ?? defaults.now),
    uuid,
    payload: checkedPayload(payload),
  });
}

let cachedMs = Number.NaN;
let cachedText = '';

/** Most events are tracked in the millisecond of another: its text is made once. */
function isoTime(time: Date | number | string): string {
  if (typeof time === 'string') {
    if (!isTimestamp(time)) throw refusal('timestamp', 'must be ISO 8601 UTC with milliseconds', time);
    return time;
  }
  if (time === cachedMs) return cachedText;
  const date = typeof time === 'number' ? new Date(time) : time;
  const text = date instanceof Date && !Number.isNaN(date.getTime()) ? date.toISOString() : '';
  if (!isTimestamp(text)) throw refusal('timestamp', 'must be a time between the years 0 and 9999', time);
  if (typeof time === 'number') {
    cachedMs = time;
    cachedText = text;
  }
  return text;
}

function refusal(field: string, rule: string, value: unknown): InvalidEventError {
  return new InvalidEventError(field, `${field} ${rule}, got ${describe(value)}`);
}

function unknownOption(option: string): InvalidEventError {
  const known = [...OPTION_NAMES].join(', ');
  return new InvalidEventError(option, `${option} is not an option of track(); there are ${known}`);
}
