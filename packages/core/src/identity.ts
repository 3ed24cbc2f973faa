import { platform } from '#platform';
import type { Clock } from './clock.ts';
import { HeldEvents, type WaitingEvent } from './held-events.ts';
import type { Journal } from './journal.ts';
import { createJournal, createNote } from './journals/choice.ts';
import type { Lanes } from './lanes.ts';
import { replay } from './replay.ts';
import type { Reporter } from './reporter.ts';
import { Sessions } from './sessions.ts';
import type { Settings } from './settings.ts';

/** What a tracker lends to the events that it holds. */
export interface HeldOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly lanes: Lanes;
  readonly journal: Journal;
  readonly reporter: Reporter;
  /** Puts an event on the road that is counted already. */
  readonly enter: (event: WaitingEvent) => void;
  /** There may be events that can be sent. */
  readonly wake: () => void;
}

/** The events of a tracker that wait until their user is known. */
export function createHeld(options: HeldOptions): HeldEvents {
  const { settings, clock, lanes, journal, reporter, enter, wake } = options;
  const { backlog, committer } = lanes.normal;
  return new HeldEvents({
    ...{ ...settings.unidentified, clock, enter, reporter },
    createJournal: () => createJournal(settings, clock, 'unidentified'),
    sessions: new Sessions(createNote(settings, clock)),
    intervalMs: settings.commitIntervalMs ?? platform.commitIntervalMs,
    async replay(events, onReplayed) {
      await replay(events, { backlog, committer, journal, onReplayed });
      wake();
    },
  });
}
