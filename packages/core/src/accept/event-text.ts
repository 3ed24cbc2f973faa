import { InvalidEventError, isTimestamp, isUuid } from '@sluice/protocol';
import { type Clock, describe, isNonEmptyString, systemClock } from '@sluice/protocol/toolbox';
import { isWithin } from '../base/user-code.ts';
import { uuid as newUuid } from '../base/uuid.ts';
import { ClockOffset } from './clock-offset.ts';
import { payloadText } from './payload.ts';
import { UNIDENTIFIED } from './unidentified.ts';

/** Name of an internal option: the event's time by this device's clock. Sluice corrects it, unlike `timestamp`. */
export const DEVICE_TIME: unique symbol = Symbol();

/** Options of one event, besides its name and payload. */
export interface TrackOptions {
  /** The customer it belongs to. Default: that of `tracker.for()`, or of `identify()`. */
  readonly correlationValue?: string | undefined;
  /** When it happened: a Date, milliseconds since 1970, or ISO 8601 UTC with milliseconds. Default: now. */
  readonly timestamp?: Date | number | string | undefined;
  /** Names the event: each copy of it has the same one. Default: a new random UUID. */
  readonly uuid?: string | undefined;
  /** Where the event comes from. Default: the option `source` of the tracker. */
  readonly source?: string | undefined;
  /** `high`: written and sent at once, before others, and dropped last when there is no room. Default: `normal`. */
  readonly priority?: 'normal' | 'high' | undefined;
  /** @internal */
  readonly [DEVICE_TIME]?: number;
}

const OPTION_NAMES = ['correlationValue', 'timestamp', 'uuid', 'source', 'priority'];
/** The years 0 to 9999, in milliseconds since 1970. */
const isTime = isWithin(Date.UTC(-1, 12), Date.UTC(10_000, 0) - 1);
/** Bounds of the cache of heads: how many, and for names of what length. */
const MAX_HEADS = 256;
const MAX_NAME_LENGTH = 128;
const NON_EMPTY = 'must be a non-empty string';
/** Text that JSON does not escape. */
const PLAIN = /^[ !#-[\]-~]*$/;

interface TextSettings {
  readonly correlationKey: string;
  readonly source: string;
  /** Bound of an event. A text or payload that exceeds it alone is not read to its end. */
  readonly maxEventBytes: number;
  /** Without `hold`, events without a customer are invalid. */
  readonly unidentified?: { readonly hold: boolean };
  readonly clock?: Clock | undefined;
  readonly keepDeviceTimestamp?: boolean | undefined;
}

/**
 * Makes the JSON text of a tracker's events. It is equal, byte for byte, to JSON.stringify of the whole event. Parts that many
 * events share are cached. They are built with `join`, which makes a string in one piece.
 */
export class EventTexts {
  /** The text from the event name to the correlationValue. */
  readonly #key: string;
  readonly #source: string;
  readonly #maxBytes: number;
  /** For each event name, the text up to the correlationValue. */
  readonly #heads = new Map<string, string>();
  /** The text from the source to the uuid, for the last source and time. */
  #middle = '';
  #middleSource: string | undefined;
  #middleTime = Number.NaN;
  /** The customer of events that name none. */
  correlationValue: string | undefined;
  readonly #nobody: string | undefined;
  /** Corrects the time of events that are given none. Undefined if the clock is right. */
  readonly offset: ClockOffset | undefined;
  /** Whether an event keeps the device's time beside the corrected one. */
  readonly #keepsDeviceTime: boolean | undefined;
  /** The customer of the event that was made last. Empty: it names none. */
  customer: string = UNIDENTIFIED;

  constructor(settings: TextSettings, store?: ConstructorParameters<typeof ClockOffset>[1]) {
    const { clock, correlationKey, keepDeviceTimestamp, maxEventBytes, source, unidentified } = settings;
    this.#key = `,"correlationKey":${JSON.stringify(correlationKey)},"correlationValue":`;
    this.#source = source;
    this.#maxBytes = maxEventBytes;
    this.#nobody = unidentified?.hold ? UNIDENTIFIED : undefined;
    // A clock that the application passes is right.
    this.offset = clock === systemClock ? new ClockOffset(clock, store) : undefined;
    this.#keepsDeviceTime = keepDeviceTimestamp;
  }

  /**
   * Stamps an event and makes its JSON text. Throws an InvalidEventError that names the field at fault.
   *
   * @param context Fields for the payload, unless it has them itself.
   * @param customer For an event whose options name none.
   */
  create(
    name: unknown,
    payload: unknown,
    options: TrackOptions,
    now: number,
    context?: object,
    customer?: string,
  ): string {
    if (typeof options !== 'object' || options === null || isList(options)) {
      throw refusal('options', 'must be an object', options);
    }
    for (const option in options) {
      const isOwn = Object.hasOwn(options, option);
      if (isOwn === OPTION_NAMES.includes(option)) continue;
      if (isOwn) throw refusal('options', `may have ${OPTION_NAMES.join(', ')}`, option);
      // A page added it to Object.prototype.
      return this.create(name, payload, Object.assign(Object.create(null), options), now, context, customer);
    }
    const { [DEVICE_TIME]: time = now, priority, timestamp, uuid: givenUuid } = options;
    const givenValue = options.correlationValue ?? customer;
    const uuid = givenUuid ?? newUuid();
    const correlationValue = givenValue ?? this.correlationValue ?? this.#nobody;
    const source = options.source ?? this.#source;
    const maxBytes = this.#maxBytes;
    checkText('event', name, maxBytes);
    const isUnidentified = correlationValue === UNIDENTIFIED && givenValue !== UNIDENTIFIED;
    const rule = `${NON_EMPTY}, given by for(), track() or identify()`;
    if (!isUnidentified) checkText('correlationValue', correlationValue, maxBytes, rule);
    checkText('source', source, maxBytes);
    if (givenUuid !== undefined && !isUuid(uuid)) throw refusal('uuid', 'must be a UUID', uuid);
    if (priority !== undefined && priority !== 'normal' && priority !== 'high') {
      throw refusal('priority', 'must be "normal" or "high"', priority);
    }
    const offsetMs = (timestamp == null && this.offset?.ms) || 0;
    const middle = this.#middleOf(source, timestamp ?? time + offsetMs);
    let text = payloadText(payload, maxBytes);
    // Only now: the payload is not too large.
    if (context) text = payloadText({ ...context, ...JSON.parse(text || '{}') }, maxBytes);
    if (offsetMs && this.#keepsDeviceTime) text = withDeviceTime(text, time);
    const end = text ? `","payload":${text}}` : '"}';
    // The test costs a third of the time that it saves.
    const value = PLAIN.test(correlationValue) ? `"${correlationValue}"` : JSON.stringify(correlationValue);
    // Set last: a payload's toJSON may call track() itself.
    this.customer = correlationValue;
    return this.#headOf(name) + value + middle + uuid + end;
  }

  #headOf(name: string): string {
    const known = this.#heads.get(name);
    if (known !== undefined) return known;
    const head = ['{"event":', JSON.stringify(name), this.#key].join('');
    if (this.#heads.size < MAX_HEADS && name.length <= MAX_NAME_LENGTH) this.#heads.set(name, head);
    return head;
  }

  /** Cached: most events are tracked in the same millisecond as another. */
  #middleOf(source: string, time: Date | number | string): string {
    if (time === this.#middleTime && source === this.#middleSource) return this.#middle;
    const timestamp = isoTime(time);
    const parts = [',"source":', JSON.stringify(source), ',"timestamp":"', timestamp, '","uuid":"'];
    const middle = parts.join('');
    if (typeof time === 'number') {
      this.#middle = middle;
      this.#middleSource = source;
      this.#middleTime = time;
    }
    return middle;
  }
}

/**
 * Throws an InvalidEventError if a field of an event is not a string, is empty, or is longer than the event may be. Compares
 * the length only, so that a long text is not read.
 */
export function checkText(
  field: string,
  text: unknown,
  maxBytes: number,
  rule: string = NON_EMPTY,
): asserts text is string {
  if (!isNonEmptyString(text)) throw refusal(field, rule, text);
  if (text.length <= maxBytes) return;
  throw refusal(field, `must take at most ${maxBytes} bytes`, text);
}

/** Throws an InvalidEventError if the text of an event takes more bytes. */
export function checkSize(text: string, maxBytes: number, byteLength: (text: string) => number): void {
  // UTF-8 takes at most three bytes per character: a text this short cannot exceed the limit.
  if (text.length * 3 <= maxBytes) return;
  const bytes = byteLength(text);
  if (bytes <= maxBytes) return;
  throw new InvalidEventError('event', `event must take at most ${maxBytes} bytes as JSON, got ${bytes}`);
}

/** Whether this is an array, a string object or a typed array: it may have millions of keys. */
function isList(value: object): boolean {
  return Object.hasOwn(value, 'length') || ArrayBuffer.isView(value);
}

/** The device's time comes first, so that a property of that name in the payload wins. */
function withDeviceTime(payload: string, now: number): string {
  const start = `{"device_timestamp":"${isoTime(now)}"`;
  return payload.length > 2 ? `${start},${payload.slice(1)}` : `${start}}`;
}

function isoTime(time: unknown): string {
  const ms: unknown = time instanceof Date ? time.getTime() : time;
  if (isTime(ms)) return new Date(ms).toISOString();
  if (isTimestamp(time)) return time;
  const rule =
    'must be a time of the years 0 to 9999: a Date, milliseconds, or ISO 8601 UTC with milliseconds';
  throw refusal('timestamp', rule, time);
}

function refusal(field: string, rule: string, value: unknown): InvalidEventError {
  return new InvalidEventError(field, `${field} ${rule}, got ${describe(value)}`);
}
