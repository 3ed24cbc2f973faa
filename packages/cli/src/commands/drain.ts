import { inspectJournal } from '@sluice/core/inspect';
import { MAX_TIMER_MS } from '@sluice/protocol/toolbox';
import type { CommandSpec } from '../command-spec.ts';
import { deliver, tell } from '../delivery/deliver.ts';
import { withProgress } from '../delivery/progress.ts';
import { EXIT } from '../exit-codes.ts';
import { interruption } from '../interruption.ts';
import { totalsOf } from '../journal/summary.ts';
import { existingDirectory } from '../settings/directory.ts';
import { readSettings, requireService, UNUSED_KEY } from '../settings/settings.ts';
import { counted, readMoment, readNumber } from '../text/amounts.ts';

export const drainCommand: CommandSpec = {
  usage: 'drain <dir>',
  summary: 'deliver what waits in a journal; Ctrl-C leaves the rest in it',
  usesService: true,
  options: [
    ['--rate <number>', 'at most this many events in a second'],
    ['--until <time>', 'stop then: 06:30, 30m or a date'],
  ],
  examples: [
    ['sluice drain /data/sluice', 'address and key come from the settings'],
    ['sluice drain /data/sluice --rate 500 --until 06:30', 'slowly, and not in office hours'],
  ],
  async run([dir = ''], flags, output) {
    const rate = flags.rate === undefined ? undefined : readNumber('--rate', flags.rate);
    const now = Date.now();
    const until = flags.until === undefined ? undefined : readMoment('--until', flags.until, now);
    const settings = { correlationKey: UNUSED_KEY, ...(await readSettings(flags)) };
    const service = await requireService(settings, await existingDirectory(dir));
    const { foreign, waiting, waitingAlive } = totalsOf((await inspectJournal(dir)).events);
    const others = { ...(foreign > 0 && { foreign }), ...(waitingAlive > 0 && { alive: waitingAlive }) };
    if (foreign > 0)
      output.note(
        `${counted(foreign, 'file')} of another version of Sluice: use that version to deliver them`,
      );
    if (waitingAlive > 0)
      output.note(`${counted(waitingAlive, 'event')} of living processes: these deliver them themselves`);
    const total = waiting - waitingAlive;
    if (total === 0) {
      output.result({ delivered: 0, left: 0, ...others }, () => 'nothing to deliver');
      return foreign > 0 ? EXIT.failed : EXIT.done;
    }
    const interrupted = interruption();
    const ends = [interrupted];
    if (until !== undefined) ends.push(AbortSignal.timeout(Math.min(MAX_TIMER_MS, Math.max(0, until - now))));
    const { openTracker } = await import('../delivery/open-tracker.ts');
    const signal = AbortSignal.any(ends);
    await using tracker = openTracker(service, rate === undefined ? undefined : { perSecond: rate, signal });
    const work = () => deliver(tracker, service.journalDirectory, signal);
    const delivered = await withProgress(tracker, () => total, !output.isJson, work);
    const code = tell({ ...delivered, ...others }, output, interrupted.aborted);
    return foreign > 0 ? code || EXIT.failed : code;
  },
};
