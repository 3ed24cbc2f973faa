import { storedDeadLetters } from '@sluice/core/inspect';
import type { CommandSpec } from '../command-spec.ts';
import { deliver, deliveredText } from '../delivery/deliver.ts';
import { withProgress } from '../delivery/progress.ts';
import { EXIT, UsageError } from '../exit-codes.ts';
import { interruption } from '../interruption.ts';
import { CHOICE_OPTIONS, type LetterChoice, readChoice } from '../journal/letter-choice.ts';
import type { Output } from '../output.ts';
import { readSettings, requireService } from '../settings/settings.ts';
import { counted, duration } from '../text/amounts.ts';
import { table } from '../text/table.ts';

const UNUSED = 'email';
const MOST_EXCERPT = 60;
const all = (): boolean => true;

const list: CommandSpec = {
  usage: 'list <dir>',
  summary: 'list the events that the service refused for good',
  options: CHOICE_OPTIONS,
  examples: [['sluice dead-letters list /data/sluice --status 422 --json', 'one line for each']],
  async run([dir = ''], flags, output) {
    const now = Date.now();
    const choice = readChoice([], flags, now) ?? all;
    const rows: string[][] = [];
    for await (const { letter, isAlive } of storedDeadLetters(dir)) {
      if (!choice(letter)) continue;
      if (output.isJson) output.result({ ...letter, isAlive }, () => '');
      const { id, at, status, excerpt, event } = letter;
      const text = excerpt.replace(/\s+/g, ' ').slice(0, MOST_EXCERPT);
      rows.push([id, duration(Math.max(0, now - Date.parse(at))), String(status), String(event.event), text]);
    }
    if (output.isJson) return EXIT.done;
    const lines = table(['id', 'since', 'status', 'event', 'answer'], rows);
    output.result({}, () => (rows.length === 0 ? 'no dead letters' : lines.join('\n')));
    return EXIT.done;
  },
};

const show: CommandSpec = {
  usage: 'show <dir> <id>',
  summary: 'show one dead letter with its event',
  async run([dir = '', id], _flags, output) {
    for await (const { letter, isAlive } of storedDeadLetters(dir)) {
      if (letter.id !== id) continue;
      output.result({ ...letter, isAlive }, () => JSON.stringify({ ...letter, isAlive }, undefined, 2));
      return EXIT.done;
    }
    throw new Error(`there is no dead letter ${id} in ${dir}: sluice dead-letters list ${dir} shows them`);
  },
};

const replay: CommandSpec = {
  usage: 'replay <dir> [ids...]',
  summary: 'send dead letters again, with all else that waits in the journal',
  usesService: true,
  options: CHOICE_OPTIONS,
  examples: [['sluice dead-letters replay /data/sluice --status 413', 'those, once the limit is raised']],
  async run([dir = '', ...ids], flags, output) {
    const choice = readChoice(ids, flags, Date.now());
    const service = requireService({ correlationKey: UNUSED, ...(await readSettings(flags)) }, dir);
    await tellOfLiving(dir, choice ?? all, output);
    const { openTracker } = await import('../delivery/open-tracker.ts');
    await using tracker = openTracker(service);
    const signal = interruption();
    const { replayed, ...delivered } = await withProgress(
      tracker,
      () => 0,
      false,
      async () => ({
        replayed: await tracker.deadLetters.replay(choice),
        ...(await deliver(tracker, signal)),
      }),
    );
    output.result({ replayed, ...delivered }, () => `replayed ${replayed}; ${deliveredText(delivered)}`);
    return delivered.left + delivered.deadLettered > 0 ? EXIT.failed : EXIT.done;
  },
};

const purge: CommandSpec = {
  usage: 'purge <dir> [ids...]',
  summary: 'delete dead letters for good',
  options: [...CHOICE_OPTIONS, ['--all', 'all of them']],
  examples: [['sluice dead-letters purge /data/sluice --older-than 30d', 'old ones']],
  async run([dir = '', ...ids], flags, output) {
    const choice = readChoice(ids, flags, Date.now());
    if (choice === undefined && !flags.all)
      throw new UsageError('purge deletes for good: say which by ids or flags, or give --all');
    await tellOfLiving(dir, choice ?? all, output);
    const { openOffline } = await import('../delivery/open-tracker.ts');
    await using tracker = openOffline(dir);
    const purged = await tracker.deadLetters.purge(choice ?? all);
    await tracker.close({ timeoutMs: 0 });
    output.result({ purged }, () => `deleted ${counted(purged, 'dead letter')}`);
    return EXIT.done;
  },
};

export const deadLettersCommand: CommandSpec = {
  usage: 'dead-letters',
  summary: 'list, show, replay or purge the events that the service refused for good',
  commands: [list, show, replay, purge],
};

/** Says how many of the chosen letters belong to living processes. Also rejects if there is no such directory. */
async function tellOfLiving(dir: string, choice: LetterChoice, output: Output): Promise<void> {
  let kept = 0;
  for await (const { letter, isAlive } of storedDeadLetters(dir)) if (isAlive && choice(letter)) kept += 1;
  if (kept > 0)
    output.note(
      `${counted(kept, 'dead letter')} belong to living processes: only those can replay or delete them`,
    );
}
