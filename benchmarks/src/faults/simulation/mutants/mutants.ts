/** A mistake in the package, which a simulation must find. It replaces `find`, which occurs once in the file. */
export interface Mutant {
  readonly name: string;
  /** Path below `dist` of the package. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const SEGMENT_WRITER = 'keep/file/segments/segment-writer.js';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'skips the sync',
    file: SEGMENT_WRITER,
    find: 'await this.#file.sync();',
    replace: '',
  },
  {
    name: 'skips the sync of the directory',
    file: SEGMENT_WRITER,
    find: 'isSynced ? fs.syncDirectory(segment.directory) : Promise.resolve()',
    replace: 'Promise.resolve()',
  },
  {
    name: 'acknowledges before the service has answered',
    file: 'send/delivery.js',
    find: 'const outcome = await requests.post(',
    replace: 'await this.#options.journal.acknowledge(batch.range); const outcome = await requests.post(',
  },
  {
    name: 'drops the checksum',
    file: 'keep/file/format/frame.js',
    find: 'if (xxh32(view, at + SEGMENT_AT, end) !== view.getUint32(at + CHECKSUM_AT, true))',
    replace: 'if (false)',
  },
  {
    name: 'syncs a file again that failed to be synced',
    file: SEGMENT_WRITER,
    find: 'await this.#file.sync();',
    replace: 'await this.#file.sync().catch(() => this.#file.sync());',
  },
  {
    name: 'adopts what a living owner has',
    file: 'keep/file/slots/slot.js',
    find: "if (kind === 'directory' && origin !== '' && !(await isAlive(owner)))",
    replace: "if (kind === 'directory' && origin !== '' && owner !== this.#owner)",
  },
  {
    name: 'counts a group as written before it is',
    file: SEGMENT_WRITER,
    find: 'await writing;',
    replace: '',
  },
  {
    name: 'lets fresh events overtake stored ones where order is strict',
    file: 'wait/batcher.js',
    find: 'const storedIsNext = isStrict || this.#storedIsNext || !freshIsDue;',
    replace: 'const storedIsNext = this.#storedIsNext || !freshIsDue;',
  },
  {
    name: 'takes a whole batch for the one event at fault',
    file: 'send/delivery.js',
    find: 'if (!isSingle)',
    replace: 'if (false)',
  },
];
