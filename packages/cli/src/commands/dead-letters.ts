import { inspectJournal, storedDeadLetters } from '@sluice/core/inspect';
import { isSluiceError } from '@sluice/protocol';
import type { CommandSpec } from '../command-spec.ts';
import { deliver, deliveredText, exitCodeOf } from '../delivery/deliver.ts';
import { withProgress } from '../delivery/progress.ts';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.ts';
import { interruption } from '../interruption.ts';
import { CHOICE_OPTIONS, type LetterChoice, readChoice } from '../journal/letter-choice.ts';
import { totalsOf } from '../journal/summary.ts';
import type { Output } from '../output.ts';
import { existingDirectory } from '../settings/directory.ts';
import { readSettings, requireService, UNUSED_KEY } from '../settings/settings.ts';
import { counted, duration } from '../text/amounts.ts';
import { plainText } from '../text/plain-text.ts';
import { table } from '../text/table.ts';

const MOST_TEXT = 60;
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
    for await (const { letter, isAlive } of storedDeadLetters(await existingDirectory(dir))) {
      if (!choice(letter)) continue;
      if (output.isJson) output.result({ ...letter, isAlive }, () => '');
      const { id, at, status, excerpt, event } = letter;
      const [name, text] = [String(event.event), excerpt].map((one) => plainText(one).slice(0, MOST_TEXT));
      const cells = [id, duration(Math.max(0, now - Date.parse(at))), String(status)];
      rows.push([...cells, name ?? '', text ?? '']);
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
  examples: [['sluice dead-letters show /data/sluice ID', 'all of it, as JSON; list shows the ids']],
  async run([dir = '', id], _flags, output) {
    for await (const { letter, isAlive } of storedDeadLetters(await existingDirectory(dir))) {
      if (letter.id !== id) continue;
      output.result({ ...letter, isAlive }, () => JSON.stringify({ ...letter, isAlive }, undefined, 2));
      return EXIT.done;
    }
    throw noLetter(dir, id);
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
    const directory = await existingDirectory(dir);
    const service = await requireService(
      { correlationKey: UNUSED_KEY, ...(await readSettings(flags)) },
      directory,
    );
    const { chosen, others, code } = await countChosen(directory, ids, choice ?? all, output);
    if (chosen === 0) {
      output.result({ replayed: 0, delivered: 0, left: 0, ...others }, () => 'no dead letters to replay');
      return code;
    }
    const { waiting, waitingAlive } = totalsOf((await inspectJournal(directory)).events);
    const { openTracker } = await import('../delivery/open-tracker.ts');
    await using tracker = openTracker(service);
    const signal = interruption();
    const { replayed, ...delivered } = await withProgress(
      tracker,
      () => chosen + waiting - waitingAlive,
      !output.isJson,
      async () => ({
        replayed: await tracker.deadLetters.replay(choice).catch(async (cause: Error) => {
          await tracker.close({ timeoutMs: 0 });
          const isStorage = isSluiceError(cause, 'SLUICE_STORAGE');
          const advice = `; if the journal is full, make room first: sluice drain ${directory}`;
          throw new Error(cause.message + (isStorage ? advice : ''), { cause });
        }),
        ...(await deliver(tracker, directory, signal)),
      }),
    );
    const text = () => `replayed ${replayed}; ${deliveredText(delivered)}`;
    output.result({ replayed, ...delivered, ...others }, text);
    return exitCodeOf(delivered, signal.aborted) || code;
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
    const directory = await existingDirectory(dir);
    const { others, code } = await countChosen(directory, ids, choice ?? all, output);
    const { openOffline } = await import('../delivery/open-tracker.ts');
    await using tracker = openOffline(directory);
    const purged = await tracker.deadLetters.purge(choice ?? all);
    await tracker.close({ timeoutMs: 0 });
    output.result({ purged, ...others }, () => `deleted ${counted(purged, 'dead letter')}`);
    return code;
  },
};

export const deadLettersCommand: CommandSpec = {
  usage: 'dead-letters',
  summary: 'list, show, replay or purge the events that the service refused for good',
  examples: [
    ['sluice dead-letters list /data/sluice', 'all of them, with the answers of the service'],
    ['sluice dead-letters replay /data/sluice --status 413', 'send some again'],
  ],
  commands: [list, show, replay, purge],
};

/**
 * How many of the chosen letters a command can take, and what to say of those that belong to living processes: named by their ids, they
 * make the command fail. Throws an Error if there is none with one of the ids: nothing is to happen then.
 */
async function countChosen(
  directory: string,
  ids: readonly string[],
  choice: LetterChoice,
  output: Output,
): Promise<{ chosen: number; others: { alive?: number }; code: ExitCode }> {
  const unknown = new Set(ids);
  const counts = { free: 0, kept: 0 };
  for await (const { letter, isAlive } of storedDeadLetters(directory)) {
    unknown.delete(letter.id);
    if (choice(letter)) counts[isAlive ? 'kept' : 'free'] += 1;
  }
  const [missing] = unknown;
  if (missing !== undefined) throw noLetter(directory, missing);
  if (counts.kept > 0)
    output.note(
      `${counted(counts.kept, 'dead letter')} of living processes: only those can replay or delete them`,
    );
  return {
    chosen: counts.free,
    others: counts.kept > 0 ? { alive: counts.kept } : {},
    code: counts.kept > 0 && ids.length > 0 ? EXIT.failed : EXIT.done,
  };
}

function noLetter(directory: string, id: string | undefined): Error {
  return new Error(`there is no dead letter ${id}: sluice dead-letters list ${directory} shows them`);
}
