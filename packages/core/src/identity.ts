import { platform } from '#platform';
import { Admission } from './admission.ts';
import type { Clock } from './clock.ts';
import { HeldEvents, type WaitingEvent } from './held-events.ts';
import type { Journal } from './journal.ts';
import { createJournal, createNote } from './journals/choice.ts';
import type { Lanes } from './lanes.ts';
import { replay } from './replay.ts';
import type { Reporter } from './reporter.ts';
import { Sessions } from './sessions.ts';
import type { Settings } from './settings.ts';

/** What a tracker lends to its admission. */
export interface IdentityOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly lanes: Lanes;
  readonly journal: Journal;
  readonly letters: { clear(): Promise<number> };
  readonly reporter: Reporter;
  /** Puts an event on the road that is counted already. */
  readonly enter: (event: WaitingEvent) => void;
  /** There may be events that can be sent. */
  readonly wake: () => void;
}

/** What stands between `track()` and the road of a tracker. */
export function createAdmission(options: IdentityOptions): Admission {
  const { settings, reporter, enter, lanes, letters } = options;
  const purge = async () => {
    try {
      await lanes.purge();
      // What is being written cannot be taken back before it is.
      await lanes.commit();
      await lanes.purge();
      const count = await letters.clear();
      if (count > 0) reporter.emit('deadLettersDropped', { reason: 'denied', count });
    } catch (error) {
      reporter.storageFailed(error);
    }
  };
  return new Admission({
    ...{ consent: settings.consent, limit: settings.buffer, enter, reporter },
    held: settings.unidentified.hold ? createHeld(options) : undefined,
    purge: () => void purge(),
  });
}

function createHeld(options: IdentityOptions): HeldEvents {
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
