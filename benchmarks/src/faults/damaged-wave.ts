import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type LeftJournal, leaveJournals } from './left-journals.ts';
import type { Random } from './random.ts';
import { type Decoy, damageSlot, type Spared } from './slot-damage.ts';
import { SEGMENT, type SlotExpectations, SlotFiles } from './slot-files.ts';

const EVENTS_PER_JOURNAL = 30;
const SMALL_SEGMENT_BYTES = 3_000;
const LARGE_SEGMENT_BYTES = 8 * 1024 * 1024;
/** Foreign entries beside the slots. The last one is a link elsewhere, with a name like a slot's. */
const STRANGERS = { notes: 'README', directory: 'lost+found', link: 'aaaaaaaaaaaaaaaa.bbbbbbbbbbbbbbbb' };

/** Damaged journals in one directory, for one process to drain. */
export interface DamagedWave {
  readonly directory: string;
  readonly expectations: readonly SlotExpectations[];
  /** Checks how it was drained. Returns the problems, one line each. */
  check(reports: readonly string[]): string[];
}

interface SparedSlot extends Spared {
  /** The part of a slot's name that stays when another process adopts it. */
  readonly origin: string;
}

/** Leaves a journal for each life, with random damage. */
export async function leaveDamagedWave(
  directory: string,
  lives: readonly number[],
  random: Random,
  decoy: Decoy,
): Promise<DamagedWave> {
  await leaveJournals(
    directory,
    lives.map((life) => chooseJournal(life, random)),
    random,
  );
  const slots = readdirSync(directory).map((name) => new SlotFiles(join(directory, name)));
  // Slot names are random. Sorted by life, so that the seed decides which slot gets which damage.
  slots.sort((a, b) => a.life - b.life);
  const spared: SparedSlot[] = [];
  const expectations = slots.map((slot) => {
    const left = damageSlot(slot, random, decoy);
    if (left !== undefined) spared.push({ ...left, origin: basename(slot.path).slice(-16) });
    return slot.expectations(EVENTS_PER_JOURNAL);
  });
  addStrangers(directory, decoy);
  const check = (reports: readonly string[]) => checkSpared(directory, spared, reports, decoy);
  return { directory, expectations, check };
}

/** One in four has several segments, one in three has released events. */
function chooseJournal(life: number, random: Random): LeftJournal {
  const segmentBytes = random(4) === 0 ? SMALL_SEGMENT_BYTES : LARGE_SEGMENT_BYTES;
  const released = random(3) === 0 ? 1 + random(EVENTS_PER_JOURNAL / 2) : 0;
  return { life, events: EVENTS_PER_JOURNAL, segmentBytes, released };
}

function addStrangers(directory: string, decoy: Decoy): void {
  writeFileSync(join(directory, STRANGERS.notes), 'not ours');
  mkdirSync(join(directory, STRANGERS.directory));
  symlinkSync(dirname(decoy.path), join(directory, STRANGERS.link));
}

function checkSpared(
  directory: string,
  spared: readonly SparedSlot[],
  reports: readonly string[],
  decoy: Decoy,
): string[] {
  const problems: string[] = [];
  const names = readdirSync(directory);
  const expected = Object.values(STRANGERS).map((name) => join(directory, name));
  for (const { origin, names: own, isReported } of spared) {
    const slot = names.find((name) => name.endsWith(`.${origin}`)) ?? `none.${origin}`;
    expected.push(...own.map((name) => join(directory, slot, name)));
    const isSaid = reports.some((report) => report.includes(origin));
    if (isReported && !isSaid) problems.push(`nothing was said of ${join(slot, own.join())}`);
  }
  problems.push(...expected.filter((path) => !existsSync(path)).map((path) => `${path} is gone`));
  // The list also contains the files behind the link.
  const isOurs = (path: string) => !path.startsWith(join(directory, STRANGERS.link));
  const segments = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) =>
    join(directory, name),
  );
  const left = segments.filter((path) => path.endsWith(SEGMENT) && isOurs(path) && !expected.includes(path));
  problems.push(...left.map((path) => `${path} is left`));
  if (!readFileSync(decoy.path).equals(decoy.bytes)) problems.push(`${decoy.path} was changed`);
  const origins = spared.map(({ origin }) => origin);
  const surprises = reports.filter((report) => !origins.some((origin) => report.includes(origin)));
  return [...problems, ...surprises];
}
