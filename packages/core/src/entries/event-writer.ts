/** Makes the text of events as `track()` does, for Node: for an outbox, which stores it itself. */
import { ConfigError } from '@sluice/protocol';
import { platform } from '#platform';
import { checkSize, EventTexts, type TrackOptions } from '../accept/event-text.ts';
import type { DropReason } from '../base/fate.ts';
import { invalidEvent, isThrown, reasonOf } from '../base/reason.ts';
import type { TrackerOptions } from '../options/options.ts';
import { readOptions } from '../options/settings.ts';
import type { HookOptions } from '../parts/hooks.ts';

export type { IfBare } from '../accept/track.ts';
export { laneOf } from '../wait/lanes.ts';

/** The options of a tracker that count when an event is made. */
export type EventWriterOptions = HookOptions &
  Pick<TrackerOptions, 'correlationKey' | 'source' | 'maxEventBytes'>;

export interface WrittenEvent {
  /** The event as JSON, as the service gets it. */
  readonly text: string;
  /** Its `correlationValue`. */
  readonly customer: string;
}

/** Returns why, if `beforeSend` or `sample` drops the event. Throws an InvalidEventError; a ConfigError if a hook fails. */
type WriteEvent = (name: string, payload?: unknown, options?: TrackOptions) => WrittenEvent | DropReason;

/** The service is of no concern here. */
const NOWHERE = { baseUrl: 'http://localhost', journal: 'memory' } as const;
const NO_OPTIONS: TrackOptions = {};

/** Throws a ConfigError. */
export function createEventWriter(options: EventWriterOptions): WriteEvent {
  const settings = readOptions({ ...options, ...NOWHERE }, platform);
  const { correlationKey, source, maxEventBytes } = settings;
  const texts = new EventTexts({ correlationKey, source, maxEventBytes });
  // Nobody listens for failures here, and the caller can fix the event or end its transaction.
  const failed = (hook: string, cause: unknown) => {
    throw new ConfigError(hook, `${hook} failed: ${reasonOf(cause)}`, { cause });
  };
  const prepare = settings.parts.hooks?.(settings, failed);

  return (event, payload, options = NO_OPTIONS) => {
    try {
      const given = { event, payload, context: undefined };
      const ready = prepare?.(given, options?.correlationValue) ?? given;
      if (typeof ready === 'string') return ready;
      const text = texts.create(ready.event, ready.payload, options, Date.now(), ready.context);
      checkSize(text, maxEventBytes, platform.text.byteLength);
      return { text, customer: texts.customer };
    } catch (cause) {
      if (isThrown(cause, ConfigError)) throw cause;
      throw invalidEvent(cause, event);
    }
  };
}
