import { EVENTS_PATH, type Event, requestHeaders } from '@sluice/protocol';
import {
  ANYTHING,
  aFunction,
  hasMethods,
  isNonEmptyString,
  type Rule,
  refusal,
  tried,
} from '@sluice/protocol/toolbox';
import { ask, isFields } from '../base/user-code.ts';
import { type Destination, KEYS_KEPT } from '../send/requests.ts';

type Headers = Readonly<Record<string, string>>;

/** Another endpoint than that of the service. What is left out is as the service has it. */
export interface DestinationOptions {
  /**
   * What follows `baseUrl`: empty, or from `/` on. Each path has a journal of its own, unless you name a `journalDirectory`.
   * Default: `/api/events/batch/`.
   */
  readonly path?: string | undefined;
  /**
   * Headers in place of `Authorization: Api-Key …`. A function is given the `apiKey`, which Sluice shows in no message. Default of
   * `Content-Type`: `application/json`.
   */
  readonly headers?: Headers | ((apiKey: string | undefined) => Headers) | undefined;
  /** What stands before the first event. Default: `{"batch":[`. */
  readonly head?: string | undefined;
  /** What stands between two events. Default: a comma. */
  readonly separator?: string | undefined;
  /** What stands after the last event. Default: `]}`. */
  readonly tail?: string | undefined;
  /**
   * Returns what is sent for an event: data for JSON, or a text that is sent as it is. The journal keeps the event itself. If the
   * function throws, the tracker emits `callbackFailed` and sends the event unchanged. Default: the event itself.
   */
  readonly event?: ((event: Event) => unknown) | undefined;
}

const TEXT: Rule = [(value) => typeof value === 'string', 'a string'];
/** By RFC 9110, section 5.6.2, except those about one connection or one body. */
const HEADER =
  /^(?!(connection|content-(length|encoding)|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$)[!#-'*+.^-z|~0-9-]+$/i;
const ASCII = /^[\t -~]*$/;
const RULES: Readonly<Record<keyof DestinationOptions, Rule>> = {
  path: [(value) => typeof value === 'string' && /^(\/[^\s#]*)?$/.test(value), 'empty, or a path from / on'],
  // Checked when they are made.
  headers: ANYTHING,
  head: TEXT,
  separator: TEXT,
  tail: TEXT,
  event: aFunction(),
};

const UNKNOWN: Rule = [() => false, `one of ${Object.keys(RULES).join(', ')}`];

/**
 * For pages. In Node a tracker has this already. Throws a ConfigError if an option is wrong.
 * @example createTracker({ ...options, destination: { path: '/collect' }, parts: { destination } });
 */
export function destination(
  options: DestinationOptions,
  apiKey: string | undefined,
  onFailed: (callback: string, error: unknown) => void,
): Destination {
  for (const [name, value] of Object.entries(options)) {
    const option = `destination.${name}`;
    const [isRight, allowed] = RULES[name as keyof DestinationOptions] ?? UNKNOWN;
    if (value !== undefined && !isRight(value, option)) throw refusal(option, allowed, value);
  }
  const encoder = new TextEncoder();
  const { event, path = EVENTS_PATH, head = '{"batch":[', separator = ',', tail = ']}' } = options;
  const between = encoder.encode(separator);
  const [first, last] = [encoder.encode(head), encoder.encode(tail)];
  /** Of the last keys: answers may still quote an old one. */
  const secrets: string[] = [];
  const headers = (key: string | undefined) => {
    const made = options.headers === undefined ? requestHeaders(key) : headersOf(options.headers, key);
    const { 'content-type': _, ...safe } = made;
    const values = Object.values(safe);
    secrets.unshift(...values);
    secrets.splice(KEYS_KEPT * values.length);
    return made;
  };
  // Throws now, not at the first request.
  headers(apiKey);
  const failed = (error: unknown) => onFailed('destination.event', error);
  /** By the body that the service of the interface would get. */
  const bodies = new WeakMap<Uint8Array, Uint8Array>();
  return {
    path,
    headers,
    secrets,
    body(batch) {
      let made = bodies.get(batch.body);
      if (!made) {
        const texts = batch.texts.map((text) => (event ? shape(text, event, failed) : text));
        const separated = texts.flatMap((text, index) => (index === 0 ? [text] : [between, text]));
        made = join([first, ...separated, last]);
        bodies.set(batch.body, made);
      }
      return made;
    },
  };
}

/** Names in lower case, so that each is sent once. Throws a ConfigError that shows no value: one may be a secret. */
function headersOf(given: NonNullable<DestinationOptions['headers']>, apiKey: string | undefined): Headers {
  const made = typeof given === 'function' ? tried(() => given(apiKey)) : given;
  if (!isFields(made)) {
    // A promise that rejects must not end the process.
    Promise.resolve(made).catch(() => undefined);
    throw refusal('destination.headers', 'an object, or a function that returns one', made);
  }
  const headers = Object.entries(made).map(([name, value]) => {
    if (HEADER.test(name) && typeof value === 'string' && ASCII.test(value))
      return [name.toLowerCase(), value];
    throw refusal('destination.headers', 'ASCII headers that Sluice does not send itself', name);
  });
  return { ...requestHeaders(undefined), ...Object.fromEntries(headers) };
}

/** Returns the text of an event for the destination. */
function shape(
  text: Uint8Array,
  event: NonNullable<DestinationOptions['event']>,
  onFailed: (error: unknown) => void,
): Uint8Array {
  const call = () => {
    const made = event(JSON.parse(new TextDecoder().decode(text)));
    // A promise has no JSON of its own.
    return typeof made === 'string' || hasMethods(made, 'then') ? made : JSON.stringify(made);
  };
  const made = ask(call, isNonEmptyString, 'destination.event() must return JSON data or a text', onFailed);
  return made === undefined ? text : new TextEncoder().encode(made);
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  const body = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const piece of pieces) {
    body.set(piece, end);
    end += piece.length;
  }
  return body;
}
