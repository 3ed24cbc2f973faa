/** A mistake in the package. It replaces `find`, which occurs once in the file. */
export interface Mutant {
  readonly name: string;
  /** Path below `src` or `dist` of the package, without the suffix. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A mistake that a simulation finds. */
export interface SimulatedMutant extends Mutant {
  /** The seed of a schedule that shows it, if those of the usual seed show it late. */
  readonly seed?: number;
}

/** A mistake that only tests find. */
export interface TestedMutant extends Mutant {
  /** Path below `packages/core/test` of the test file that finds it. */
  readonly test: string;
  /** The end of the name of the test that finds it. */
  readonly finder: string;
}

const SEGMENT_WRITER = 'keep/file/segments/segment-writer';

/** A simulation finds these. */
export const MUTANTS: readonly SimulatedMutant[] = [
  {
    name: 'skips the sync',
    file: SEGMENT_WRITER,
    find: 'await this.#file.sync();',
    replace: '',
  },
  {
    name: 'acknowledges before the service has answered',
    file: 'send/delivery',
    find: 'const outcome = await requests.post(',
    replace: "await waiting.end(trial.parcel, 'delivered'); const outcome = await requests.post(",
  },
  {
    name: 'drops the checksum',
    file: 'keep/file/format/frame',
    find: 'if (xxh32(view, at + SEGMENT_AT, end) !== view.getUint32(at + CHECKSUM_AT, true))',
    replace: 'if (false)',
    seed: 880,
  },
  {
    name: 'adopts what a living owner has',
    file: 'keep/file/slots/slot',
    find: 'else if (!(await isAlive(owner)))',
    replace: 'else',
  },
  {
    name: 'lets fresh events overtake stored ones where order is strict',
    file: 'wait/line',
    find: '(this.#isStrict || this.#storedIsNext || !hasFresh)',
    replace: '(this.#storedIsNext || !hasFresh)',
    seed: 2_024,
  },
  {
    name: 'takes a whole batch for the one event at fault',
    file: 'send/blame',
    find: "isFound(trial) ? 'halve'",
    replace: "isFound(trial) ? 'end'",
  },
  {
    name: 'skips the sync of the directory',
    file: SEGMENT_WRITER,
    find: 'isSynced ? fs.syncDirectory(segment.directory) : undefined',
    replace: 'Promise.resolve()',
  },
  {
    name: 'syncs a file again that failed to be synced',
    file: SEGMENT_WRITER,
    find: 'await this.#file.sync();',
    replace: 'await this.#file.sync().catch(() => this.#file.sync());',
    seed: 1030,
  },
  {
    name: 'counts a group as written before it is',
    file: SEGMENT_WRITER,
    find: 'await writing;',
    replace: '',
  },
  {
    name: 'lets the events of a customer overtake each other',
    file: 'wait/lanes',
    find: 'let lanes = busy;',
    replace: 'let lanes = 0;',
  },
  {
    name: 'takes the first refusal of an event for proof',
    file: 'send/blame',
    find: 'const isBetween =',
    replace: "if (endsEvent && isSingle) return 'end'; const isBetween =",
  },
  {
    name: 'blames an event though the service accepts nothing else',
    file: 'send/blame',
    find: 'isDenial ? proofs >= LEAST_TO_END : isOwn;',
    replace: 'true;',
  },
];

/** Stands for the name of a mutant where there is none. */
export const NO_MISTAKE = 'makes no mistake';

/** They do harm in situations that a simulation does not bring about, or forgives. Each has a test that makes its situation. */
export const TESTED_MUTANTS: readonly TestedMutant[] = [
  {
    name: 'takes over a segment twice',
    file: 'keep/file/segments/recovery',
    find: 'name.endsWith(SEGMENT_SUFFIX) && !isKnown',
    replace: 'name.endsWith(SEGMENT_SUFFIX)',
    test: 'keep/file/segments/segments.node.test.ts',
    finder: 'is read again later, and gives each event once',
  },
  {
    name: 'forgets that the sync of a file failed',
    file: SEGMENT_WRITER,
    find: 'syncing.then(forget, () => undefined);',
    replace: 'syncing.then(forget, forget);',
    test: 'keep/file/segments/unsaved-events.node.test.ts',
    finder: 'is not taken on the word of the next sync of that file',
  },
  {
    name: 'blames an event though the service accepts now what it refused before',
    file: 'send/blame',
    find: ' || Math.abs(clock.now() - fickleAt) < FICKLE_MS',
    replace: '',
    test: 'send/blame.node.test.ts',
    finder: 'for ten minutes after it accepted bytes that it had refused',
  },
  {
    name: 'takes events for gone that move to another file while they are read',
    file: 'keep/file/segments/segments',
    find: 'isMoved ? this.read(range, limit) : reading',
    replace: 'reading',
    test: 'keep/file/segments/unsaved-events.node.test.ts',
    finder: 'gives the events also to a reader that was about to open the old file when that was removed',
  },
  {
    name: 'takes an owner for dead whose lock takes no more connections',
    file: 'keep/file/slots/system-locks',
    find: "new Set(['ECONNREFUSED', 'ENOENT'])",
    replace: "new Set(['ECONNREFUSED', 'ENOENT', 'EAGAIN'])",
    test: 'keep/file/slots/system-locks.long.test.ts',
    finder: 'though so many have asked for it that its lock takes no more connections',
  },
  {
    name: 'follows a full segment with a new one while its last append is pending',
    file: 'keep/file/segments/appender',
    find: 'await before;',
    replace: '',
    test: 'keep/file/file-journal.node.test.ts',
    finder: 'where events are synced in a segment that is full and others wait',
  },
  {
    name: 'ends its segment at the close while its last append is pending',
    file: 'keep/file/segments/appender',
    find: 'await last;',
    replace: '',
    test: 'keep/file/file-journal.node.test.ts',
    finder: 'where events are synced in a segment that is ended by a close',
  },
  {
    name: 'ignores that events are missing at the end of a segment',
    file: 'keep/file/segments/scan',
    find: 'from === (runs[at - 1]?.to ?? from)',
    replace: 'true',
    test: 'keep/file/segments/segment.node.test.ts',
    finder: 'does not promise events that are missing before its last one, though no byte is damaged',
  },
  {
    name: 'takes the oldest event as a probe, though it failed before',
    file: 'send/sender',
    find: 'isProbe || !isTestNext ? undefined : trials.take()',
    replace: 'isTestNext ? trials.take(isProbe) : undefined',
    test: 'whole/delivery/pauses.test.ts',
    finder: 'is asked with an event that was never refused, if there is one',
  },
];

/** The text of a file with the mistake. */
export function mutate(text: string, { name, file, find, replace }: Mutant): string {
  const [before, after, ...more] = text.split(find);
  if (before !== undefined && after !== undefined && more.length === 0) return before + replace + after;
  throw new Error(`${name}: ${file} must hold this once, and does not: ${find}`);
}
