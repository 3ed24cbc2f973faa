import { platform } from '#platform';
import type { Clock } from './base/clock.ts';
import { createJournal, createNote } from './journal-choice.ts';
import type { Journal } from './keep/journal.ts';
import type { Settings } from './options/settings.ts';
import { HeldEvents, type WaitingEvent } from './parts/hold/held-events.ts';
import { Sessions } from './parts/hold/sessions.ts';
import type { Reporter } from './tell/reporter.ts';
import type { Lanes } from './wait/lanes.ts';
import { replay } from './wait/replay.ts';

/** What the tracker passes to its held events. */
export interface HeldOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly lanes: Lanes;
  readonly journal: Journal;
  readonly reporter: Reporter;
  /** Adds an event to its lane. The event is counted as accepted already. */
  readonly enter: (event: WaitingEvent) => void;
  /** Called when there may be events to send. */
  readonly wake: () => void;
}

/** Creates the store of events that wait until their user is known. */
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
