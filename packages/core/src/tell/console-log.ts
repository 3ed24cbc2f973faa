import type { Redact } from '@sluice/protocol/toolbox';
import { HINTS } from './hints.ts';
import type { Tell } from './reporter.ts';
import type { TrackerEvents } from './tracker-events.ts';

/** What a developer must know, in words. */
const WORDS: { readonly [Name in keyof TrackerEvents]?: string } = {
  invalid: 'refused',
  dropped: 'dropped events',
  requestFailed: 'cannot deliver',
  paused: 'pauses',
  storageFailed: 'keeps events in memory',
  callbackFailed: 'failed in',
};

/** What an event of the tracker may have in its detail. */
interface Detail {
  readonly error?: Error & { readonly event?: string };
  readonly reason?: keyof typeof HINTS;
  /** Whose error it is. */
  readonly callback?: string;
}

/** For those who gave no logger: warns once of each thing that keeps events from arriving, in one line with what to do. */
export function consoleWarnings(redact: Redact): Tell {
  const said = new Set<string>();
  let failure: string | undefined;
  return (event, { callback, error, reason = 'denied' }: Detail) => {
    if (event === 'requestFailed') failure = error?.message;
    // Later failures are told by a pause.
    if (event === 'delivered') said.add('requestFailed');
    const words = WORDS[event as keyof TrackerEvents];
    const hint = HINTS[reason];
    const why = error?.message ?? ((event === 'paused' && failure) || (hint && `${reason}; ${hint}`));
    const topic = error ? event : event + reason;
    if (!words || !why || said.has(topic) || said.has(why)) return;
    said.add(topic).add(why);
    const about = error?.event ?? callback;
    console.warn(redact(`Sluice ${words}${about ? ` ${about}` : ''}: ${why}`));
  };
}
