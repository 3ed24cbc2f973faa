import { verifyJournal } from '@sluice/core/inspect';
import type { CommandSpec } from '../command-spec.ts';
import { EXIT } from '../exit-codes.ts';
import { existingDirectory } from '../settings/directory.ts';
import { count, counted, size } from '../text/amounts.ts';

const MOST_PLACES = 5;

export const verifyCommand: CommandSpec = {
  usage: 'verify <dir>',
  summary: 'read every event of a journal, and say where it is damaged; changes nothing',
  examples: [
    ['sluice verify /data/sluice', 'ends with 1 if anything is damaged'],
    ['sluice verify /data/sluice --json', 'one line for each file, and one for the whole'],
  ],
  async run([dir = ''], _flags, output) {
    const total = { files: 0, events: 0, bytes: 0, damagedFiles: 0, missing: 0, foreign: 0 };
    const directory = await existingDirectory(dir);
    // If the reader of its output goes away, the rest is not read: then nobody knows that it is intact.
    process.exitCode = EXIT.failed;
    for await (const file of verifyJournal(directory)) {
      const { path, bytes, events, missing, damage, isForeign } = file;
      total.files += 1;
      total.events += events;
      total.bytes += bytes;
      total.missing += missing;
      total.foreign += isForeign ? 1 : 0;
      total.damagedFiles += damage.length > 0 ? 1 : 0;
      const places = damage.slice(0, MOST_PLACES).map(({ from, to }) => `${count(from)} to ${count(to)}`);
      const more =
        damage.length > MOST_PLACES ? ` and ${counted(damage.length - MOST_PLACES, 'more place')}` : '';
      const lost =
        missing > 0 ? `${counted(missing, 'event')} missing` : 'the number of missing events is not known';
      const text = `${output.colors.red('damaged')} ${path}: bytes ${places.join(', ')}${more}; ${lost}`;
      if (output.isJson || damage.length > 0) output.result(file, () => text);
    }
    const { files, events, bytes, damagedFiles, foreign } = total;
    const advice = `; what is intact: sluice drain ${directory}`;
    const result = damagedFiles > 0 ? `${counted(damagedFiles, 'file')} damaged${advice}` : 'no damage';
    const others = foreign > 0 ? `; ${counted(foreign, 'file')} of another version not read` : '';
    const summary = `${counted(events, 'event')} in ${counted(files, 'file')}, ${size(bytes)}: ${result}${others}`;
    const nothing = `no files: all of ${directory} is delivered, or it is not the directory of a journal`;
    output.result(total, () => (files > 0 ? summary : nothing));
    return damagedFiles > 0 ? EXIT.failed : EXIT.done;
  },
};
