import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { FileJournal } from '@sluice/core/file-journal';
import { systemClock } from '@sluice/protocol/toolbox';
import type { Fault, FaultContext, FaultResult } from './fault.ts';

const EVENTS = 10;
/** An open that takes longer hangs. */
const MOST_MS = 60_000;
const SOMEBODY = 12_345;
const PRECIOUS = 'a file of the victim';

/** The files of a journal that somebody planted, and a directory of the victim that is no journal. */
interface Scene {
  readonly root: string;
  readonly slot: string;
  readonly segment: string;
  readonly victim: string;
}

interface Attack {
  readonly what: string;
  /** Only root can give a file away. */
  readonly asRoot?: boolean;
  /** Whether the planted events are still to arrive: only what is beside them was changed. */
  readonly isHarmless?: boolean;
  readonly plant: (scene: Scene) => void;
}

/** Puts a link in the place of a file or directory, whose content goes to the victim. */
function linkAway(path: string, victim: string): void {
  const target = join(victim, basename(path));
  renameSync(path, target);
  symlinkSync(target, path);
}

function pipeAt(path: string): void {
  rmSync(path, { recursive: true, force: true });
  execFileSync('mkfifo', [path]);
}

const ATTACKS: readonly Attack[] = [
  ...[0o777, 0o770, 0o707].flatMap((mode): Attack[] => [
    { what: `root of mode ${mode.toString(8)}`, plant: ({ root }) => chmodSync(root, mode) },
    { what: `slot of mode ${mode.toString(8)}`, plant: ({ slot }) => chmodSync(slot, mode) },
    { what: `segment of mode ${mode.toString(8)}`, plant: ({ segment }) => chmodSync(segment, mode) },
  ]),
  { what: 'root of another user', asRoot: true, plant: ({ root }) => chownSync(root, SOMEBODY, SOMEBODY) },
  { what: 'slot of another user', asRoot: true, plant: ({ slot }) => chownSync(slot, SOMEBODY, SOMEBODY) },
  {
    what: 'segment of another user',
    asRoot: true,
    plant: ({ segment }) => chownSync(segment, SOMEBODY, SOMEBODY),
  },
  { what: 'link in place of a slot', plant: ({ slot, victim }) => linkAway(slot, victim) },
  { what: 'link in place of a segment', plant: ({ segment, victim }) => linkAway(segment, victim) },
  { what: 'named pipe in place of a segment', plant: ({ segment }) => pipeAt(segment) },
  {
    what: 'named pipe in place of what was delivered',
    isHarmless: true,
    plant: ({ segment }) => pipeAt(segment.replace(/segment$/, 'acks')),
  },
  {
    what: 'link in place of what was delivered',
    isHarmless: true,
    plant: ({ segment, victim }) =>
      symlinkSync(join(victim, 'precious'), segment.replace(/segment$/, 'acks')),
  },
  {
    what: 'link in place of the damaged files',
    isHarmless: true,
    plant: ({ root, victim }) => symlinkSync(victim, join(root, 'damaged')),
  },
  {
    what: 'named pipe in place of the damaged files',
    isHarmless: true,
    plant: ({ root }) => pipeAt(join(root, 'damaged')),
  },
];

/** Somebody else plants events in a journal directory, or links and named pipes in the place of its files. A process opens it. */
export const foreignDirectory: Fault = {
  name: 'foreign-directory',
  skipReason: process.getuid === undefined ? 'files have no owner here' : undefined,
  run,
};

async function run({ directory }: FaultContext): Promise<FaultResult> {
  const problems: string[] = [];
  const attacks = ATTACKS.filter(({ asRoot = false }) => !asRoot || process.getuid?.() === 0);
  let [durable, lost, duplicates] = [0, 0, 0];
  for (const [number, { what, isHarmless = false, plant }] of attacks.entries()) {
    const scene = await prepare(join(directory, String(number)));
    plant(scene);
    const opened = await Promise.race([open(scene.root), setTimeout(MOST_MS, undefined, { ref: false })]);
    if (opened === undefined) problems.push(`${what}: hangs`);
    const found = opened ?? 0;
    const expected = isHarmless ? EVENTS : 0;
    durable += expected;
    lost += Math.max(0, expected - found);
    duplicates += Math.max(0, found - expected);
    if (found > expected) problems.push(`${what}: ${found} planted events would be sent`);
    if (readFileSync(join(scene.victim, 'precious'), 'utf8') !== PRECIOUS)
      problems.push(`${what}: a file of the victim was changed`);
  }
  return {
    ...{ tries: attacks.length, durable, lost, duplicates },
    demand:
      '0 planted events sent, 0 files of the victim touched, 0 hangs; events in a directory of its own arrive',
    problems,
  };
}

async function prepare(directory: string): Promise<Scene> {
  const [root, victim] = [join(directory, 'journal'), join(directory, 'victim')];
  mkdirSync(victim, { recursive: true, mode: 0o700 });
  writeFileSync(join(victim, 'precious'), PRECIOUS);
  const journal = journalIn(root);
  await journal.open({ recovered: () => {}, damaged: () => {}, failed: () => {} });
  const text = Buffer.from('{"planted":true}');
  const bytes = Buffer.from(Array(EVENTS).fill(text).join(','));
  const ends = Uint32Array.from({ length: EVENTS }, (_, number) => (number + 1) * (text.length + 1) - 1);
  await journal.append({ bytes, ends });
  await journal.close();
  const name = readdirSync(root, { recursive: true, encoding: 'utf8' }).find((path) =>
    path.endsWith('.segment'),
  );
  if (name === undefined) throw new Error('there is no segment');
  const segment = join(root, name);
  return { root, victim, segment, slot: dirname(segment) };
}

function journalIn(directory: string): FileJournal {
  return new FileJournal({ directory, clock: systemClock, fsync: 'never' });
}

/** Returns how many events a process finds there. */
async function open(directory: string): Promise<number> {
  const journal = journalIn(directory);
  const ranges: { segment: number; from: number; to: number }[] = [];
  const observer = {
    recovered: (range: (typeof ranges)[number]) => void ranges.push(range),
    damaged: () => {},
    failed: () => {},
  };
  // A directory that is refused is told of by an error.
  await journal.open(observer).catch(() => undefined);
  let found = 0;
  for (const range of ranges)
    for (let { from } = range; from < range.to; ) {
      const reading = await journal.read({ ...range, from }, { maxEvents: EVENTS, maxBytes: 1_000_000 });
      found += reading.events.ends.length;
      from = reading.range.to;
    }
  await journal.close();
  return found;
}
