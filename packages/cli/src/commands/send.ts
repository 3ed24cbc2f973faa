import { existsSync } from 'node:fs';
import { constants, stat } from 'node:fs/promises';
import { storedEvents } from '@sluice/core/inspect';
import { tried } from '@sluice/protocol/toolbox';
import type { CommandSpec } from '../command-spec.ts';
import { deliver, deliveredText, exitCodeOf } from '../delivery/deliver.ts';
import { withProgress } from '../delivery/progress.ts';
import { EXIT, UsageError } from '../exit-codes.ts';
import { interruption } from '../interruption.ts';
import { mayAccess } from '../may-access.ts';
import { EventMapping } from '../send/event-mapping.ts';
import { FileSender } from '../send/file-sender.ts';
import { RecordFile, readFormat } from '../send/record-file.ts';
import { Rejects } from '../send/rejects.ts';
import { identify, PositionFile, START } from '../send/sending.ts';
import { readSettings, requireService } from '../settings/settings.ts';
import { count, counted } from '../text/amounts.ts';
import { plainText } from '../text/plain-text.ts';

/** Characters of a bad record that can be found in its file. */
const MOST_TEXT = 2_000;

export const sendCommand: CommandSpec = {
  usage: 'send <file>',
  summary: 'send a file of events, or - for standard input; started again, it goes on',
  usesService: true,
  options: [
    ['--format <name>', 'ndjson, json (an array) or csv; default: by its name and its first character'],
    ['--event <name>', 'the name of all events; columns become the payload'],
    ['--customer <value>', 'the correlationValue of all events'],
    [
      '--map <fields>',
      'columns for event, correlationValue, timestamp, uuid, source: timestamp=date,event=type',
    ],
    ['--numbers <columns>', 'columns of a CSV file that are numbers'],
    ['--rejects <file>', 'where bad records go (default: FILE.rejects.ndjson)'],
    ['--journal <dir>', 'directory of the journal (SLUICE_JOURNAL_DIRECTORY)'],
    ['--again', 'send a file from its start that was sent before'],
  ],
  examples: [
    ['sluice send events.ndjson', 'events of the interface, one in each line'],
    ['sluice send users.csv --event signed_up --map correlationValue=email', 'other columns are the payload'],
    ['sluice send flights.json --event flight --customer fleet', 'an array of objects'],
    ['tail -f app.ndjson | sluice send -', 'standard input cannot be resumed'],
  ],
  async run([path = ''], flags, output) {
    const startedAt = Date.now();
    const { event, customer, map, numbers } = flags;
    const format = readFormat(flags.format);
    const service = await requireService(await readSettings(flags));
    const { baseUrl, correlationKey, journalDirectory } = service;
    const file = new RecordFile(path, format, await sizeOf(path));
    const mapping = new EventMapping(flags, correlationKey, file.isCsv);
    const how = { baseUrl, correlationKey, format, event, customer, map, numbers };
    const identity = path === '-' ? undefined : await identify(path, how);
    const resume =
      identity === undefined ? undefined : { identity, file: new PositionFile(journalDirectory, identity) };
    const rejectsPath = flags.rejects ?? `${path === '-' ? 'stdin' : path}.rejects.ndjson`;
    if (await isSame(rejectsPath, path))
      throw new UsageError(`--rejects must not be ${path} itself: it would be written over`);
    if (flags.again) await resume?.file.remove();
    const position = (await resume?.file.read()) ?? START;
    if (position.isComplete)
      output.note(`a file with the content of ${path} was read to its end before: --again sends it again`);
    else if (position.records > 0) output.note(`goes on after record ${count(position.records)}`);
    const isRead = resume !== undefined && !position.isComplete;
    const known = isRead ? await uuidsIn(journalDirectory, flags.again) : new Set<string>();
    const rejects = new Rejects({
      path: rejectsPath,
      bytes: position.rejectedBytes,
      // What is in a file that the user names, and in that of standard input, may be of another sending.
      isShared: flags.rejects !== undefined || !resume,
      // Standard input cannot be read again.
      mostText: resume ? MOST_TEXT : Number.POSITIVE_INFINITY,
    });
    const signal = interruption();
    signal.addEventListener('abort', () => file.stop());
    const { openTracker } = await import('../delivery/open-tracker.ts');
    await using tracker = openTracker(service);
    const journalBytes = service.storage?.maxBytes;
    const sending = { tracker, mapping, rejects, resume, known, journalBytes, signal };
    const sender = new FileSender(sending, position);
    const total = () => Math.round((sender.position.records - position.records) / (file.share || 1));
    const delivered = await withProgress(tracker, total, !output.isJson, async () => {
      if (!position.isComplete) {
        await rejects.begin();
        await sender.run(file).finally(() => {
          file.stop();
          return rejects.close();
        });
      }
      return deliver(tracker, journalDirectory, signal, startedAt);
    });
    const { isComplete, records, rejected } = sender.position;
    // A copy of the file may have been read before, under another name.
    const kept = rejected > 0 && existsSync(rejects.path) ? rejects.path : '';
    const result = { records, isComplete, rejected, rejects: kept || undefined, ...delivered };
    const { first } = rejects;
    const example =
      first === undefined ? '' : ` (the first at ${count(first.line)}: ${plainText(first.reason)})`;
    const bad = rejected > 0 ? `; ${counted(rejected, 'bad record')}${kept && ` in ${kept}`}${example}` : '';
    const rest = resume ? '; the rest of it is read if it is started again' : '; the rest of it was not read';
    output.result(
      result,
      () => `read ${counted(records, 'record')}${bad}; ${deliveredText(delivered)}${isComplete ? '' : rest}`,
    );
    if (!isComplete) return signal.aborted ? EXIT.interrupted : EXIT.failed;
    return exitCodeOf(delivered, signal.aborted) || (rejected > 0 ? EXIT.failed : EXIT.done);
  },
};

/** The size of the file, in bytes. Throws a UsageError if it cannot be read. */
async function sizeOf(path: string): Promise<number> {
  // Not fstatSync(0): after it, Node takes links to packages for pipes, and finds no modules.
  const status = await stat(path === '-' ? '/dev/stdin' : path).catch(() => undefined);
  if (path === '-') {
    if (status?.isDirectory()) throw new UsageError('standard input is a directory: give a file');
    return 0;
  }
  if (status?.isFile()) {
    if (await mayAccess(path, constants.R_OK)) return status.size;
    throw new UsageError(`this user may not read ${path}: run it as the user that owns it, or chmod it`);
  }
  const problem = status === undefined ? `there is no file ${path}` : `${path} is no regular file`;
  throw new UsageError(`${problem}: correct the path, or give - for standard input`);
}

async function isSame(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map((path) => stat(path).catch(() => undefined)));
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}

/**
 * The uuids of the events in the journal, which must not be tracked again. Delivered ones too: those behind the stored position were
 * sent. If all are to be sent again, only those that still wait.
 */
async function uuidsIn(directory: string, isAgain = false): Promise<ReadonlySet<string>> {
  const uuids = new Set<string>();
  if (!(await stat(directory).catch(() => undefined))?.isDirectory()) return uuids;
  for await (const { text, isReleased } of storedEvents(directory)) {
    if (isAgain && isReleased) continue;
    const { uuid }: { uuid?: unknown } = Object(tried(() => JSON.parse(text)));
    if (typeof uuid === 'string') uuids.add(uuid);
  }
  return uuids;
}
