import type { Redact } from '@sluice/protocol/toolbox';
import type { DropReason } from '../base/fate.ts';
import type { Tell } from './reporter.ts';
import type { PauseReason } from './stats.ts';
import type { TrackerEvents } from './tracker-events.ts';

/** Drops that the application asked for. */
type Wanted = 'unidentified' | 'identity-expired' | 'denied' | 'filtered' | 'sampled';

/** What to do about a pause or a drop. */
export const HINTS: Readonly<
  Record<PauseReason | Exclude<DropReason, Wanted>, string> & { [Reason in Wanted]?: undefined }
> = {
  unauthorized: 'check apiKey',
  'wrong-address': 'check baseUrl',
  refused: 'check correlationKey, events',
  intercepted: 'check network',
  policy: 'check policy',
  blocked: 'check blockers',
  unavailable: 'check service',
  asked: 'wait',
  'buffer-full': 'raise buffer',
  'journal-full': 'raise storage',
  expired: 'raise maxAgeMs',
  closed: 'close() later',
  damaged: 'check journal',
};

/** What a developer must know, in words. */
const WORDS: { readonly [Name in keyof TrackerEvents]?: string } = {
  invalid: 'refused',
  dropped: 'dropped events',
  deadLettered: 'made a dead letter',
  requestFailed: 'cannot deliver',
  paused: 'pauses',
  storageFailed: 'keeps events in memory',
  callbackFailed: 'failed in',
};

/** What an event of the tracker may have in its detail. */
interface Detail {
  readonly error?: Error & { readonly event?: string };
  readonly reason?: keyof typeof HINTS;
  /** The answer to an event that was given up. */
  readonly status?: number;
  readonly excerpt?: string;
  /** Whose error it is. */
  readonly callback?: string;
}

/** For those who gave no logger: warns once of each thing that keeps events from arriving, in one line with what to do. */
export function consoleWarnings(redact: Redact): Tell {
  const said = new Set<string>();
  let failure: string | undefined;
  return (event, { callback, error, excerpt, reason = 'denied', status }: Detail) => {
    if (event === 'requestFailed') failure = error?.message;
    // A pause reports later failures.
    if (event === 'delivered') said.add('requestFailed');
    const words = WORDS[event as keyof TrackerEvents];
    const hint = HINTS[reason];
    const what = hint ? `${reason}; ${hint}` : status && `${status} ${JSON.stringify(excerpt)}`;
    const why = error?.message ?? ((event === 'paused' && failure) || what);
    const topic = error ? event : event + reason;
    if (!words || !why || said.has(topic) || said.has(why)) return;
    said.add(topic).add(why);
    const about = error?.event ?? callback;
    console.warn(redact(`Sluice ${words}${about ? ` ${about}` : ''}: ${why}`));
  };
}
