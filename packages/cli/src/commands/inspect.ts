import { setTimeout } from 'node:timers/promises';
import { inspectJournal } from '@sluice/core/inspect';
import type { CommandSpec } from '../command-spec.ts';
import { EXIT } from '../exit-codes.ts';
import { interruption } from '../interruption.ts';
import { summarise } from '../journal/summary.ts';
import { summaryText } from '../journal/summary-text.ts';
import { existingDirectory } from '../settings/directory.ts';
import { findJournal, readSettings } from '../settings/settings.ts';

const FOLLOW_MS = 1_000;
const CLEAR = '\u001b[2J\u001b[H';

export const inspectCommand: CommandSpec = {
  usage: 'inspect [dir]',
  summary: 'show what waits in a journal, since when and whose it is; changes nothing',
  options: [
    ['--follow', 'show it again every second, until Ctrl-C'],
    ['--config <file>', 'file of settings (default: sluice.config.mjs, .js, .ts or .json)'],
  ],
  examples: [
    ['sluice inspect', 'the journal of the settings, or the only one of this user'],
    ['sluice inspect /data/sluice --follow', 'watch a journal; its processes go on'],
    ['sluice inspect /data/sluice --json', 'for a script'],
  ],
  async run([dir], flags, output) {
    const directory = await existingDirectory(await findJournal(await readSettings(flags), dir));
    const ended = flags.follow ? interruption() : undefined;
    for (;;) {
      const summary = await summarise(await inspectJournal(directory));
      const clear = ended && process.stdout.isTTY ? CLEAR : '';
      output.result(summary, () => clear + summaryText(summary, output.colors, Date.now()));
      if (ended === undefined) return EXIT.done;
      await setTimeout(FOLLOW_MS, undefined, { signal: ended }).catch(() => undefined);
      if (ended.aborted) return EXIT.done;
    }
  },
};
