import type { Measurement, MeasurementContext } from '../../measurements/measurement.ts';
import { inRounds } from '../../measurements/rounds.ts';
import { makeRow, type Row } from '../../row.ts';
import type { BrowserSubject } from '../browser-subject.ts';
import { Cell } from '../cell.ts';
import type { Patience } from '../collector.ts';
import { type Field, withField } from '../field.ts';
import { rowName, survivedTitle, twiceTitle, unitOf } from '../row-names.ts';
import { PREFIX } from '../scenarios.ts';
import { QUICK_SUBJECTS, SUBJECTS, sluice } from '../subjects.ts';
import { CASES, caseTitle, QUICK_CASES, type SurvivalCase } from '../survival-cases.ts';
import { within } from '../within.ts';

const RUNS = { full: 3, quick: 1 };
const PATIENCE = {
  // RudderStack looks for the events of an earlier page only after 13 s.
  full: { firstMs: 14_000, quietMs: 10_000, mostMs: 60_000, repeatMs: 2000 },
  quick: { firstMs: 14_000, quietMs: 10_000, mostMs: 30_000, repeatMs: 500 },
};
/** If no event has arrived, the last page of a scenario tracks these, with the service up. */
const PROOF = { prefix: 'proof', from: 0, count: 100 };
const PROOF_PATIENCE = { firstMs: 40_000, quietMs: 40_000, mostMs: 40_000, repeatMs: 0 };
/** Once these arrive, the SDK has ended its pause: the waiting events arrive with them or soon after. */
const LATE_FIRST_MS = 5_000;
/** Time limit of a cell. An SDK that blocks its page for longer has no figure. */
const MOST_MS = 200_000;

/** How many events survive in a page whose service was down. */
export const survival: Measurement = {
  name: 'survival',
  method:
    'Events are tracked in chunks of 100 while the service is down (connections end at once; navigator.onLine ' +
    'stays true). 2 or 10 s after the last call the page is reloaded, or closed, or its browser gets SIGKILL: Chromium writes ' +
    'localStorage to the disk some seconds after the page did. Then the service is up, and the page is loaded ' +
    'again: the same tab, a new one, one of a new browser with the same profile, the same two tabs. What arrives is counted by an id in ' +
    `the payload, until all is there, or nothing new came for ${PATIENCE.full.quietMs / 1000} s, or ${PATIENCE.full.mostMs / 1000} s ` +
    `have passed; ${PATIENCE.full.repeatMs / 1000} s more for what comes twice. Each cell is ${RUNS.full} runs, each in a Chromium of its own with a new ` +
    'profile; the least and the most are shown where they differ. There is never more than one browser. ' +
    `Where nothing came for ${PATIENCE.full.firstMs / 1000} s, ${PROOF.count} more are tracked, and the wait begins again once one of them has arrived: an ` +
    'SDK may pause after failures, and one that does not deliver these either has no figure.',
  run,
};

/** One cell: an SDK and a case. */
interface Survivor {
  readonly subject: BrowserSubject;
  readonly what: SurvivalCase;
}

interface Counts {
  readonly delivered: number;
  readonly twice: number;
  /** False if events still arrived when the wait ended. */
  readonly isSettled: boolean;
}

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const subjects = context.isQuick ? QUICK_SUBJECTS : SUBJECTS;
  const survivors = subjects
    .flatMap((subject) => (context.isQuick ? QUICK_CASES : CASES).map((what) => ({ subject, what })))
    .filter(({ subject, what }) => !context.isQuick || subject === sluice || what === QUICK_CASES[0]);
  return withField(subjects, context, async (field) => {
    const runs = context.isQuick ? RUNS.quick : RUNS.full;
    const countsOf = await inRounds(runs, survivors, (survivor, round) =>
      runCell(survivor, round, field, context),
    );
    return survivors.flatMap((survivor) => rowsOf(survivor, countsOf(survivor), context));
  });
}

/** Resolves to undefined if a peer has no figure: one failed run must not end a benchmark of hours. */
async function runCell(
  survivor: Survivor,
  round: number,
  field: Field,
  context: MeasurementContext,
): Promise<Counts | undefined> {
  const { subject, what } = survivor;
  const title = `run ${round + 1}, ${rowName(survivedTitle(what), subject.name)}`;
  try {
    const counts = await measureCell(survivor, round, field, context);
    context.tell(`${title}: ${counts.delivered}, twice: ${counts.twice}`);
    return counts;
  } catch (error) {
    if (subject === sluice) throw error;
    context.tell(`${title}: no figure: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

async function measureCell(
  { subject, what }: Survivor,
  round: number,
  { chromium, site }: Field,
  { isQuick, directory }: MeasurementContext,
): Promise<Counts> {
  const name = `${subject.page}-${caseTitle(what).replaceAll(/\W/g, '-')}-${round}`;
  await using cell = await Cell.open(chromium, subject, site, directory, name);
  const patience = isQuick ? PATIENCE.quick : PATIENCE.full;
  const counts = await within(MOST_MS, countSurvivors(what, cell, patience));
  if (counts === undefined) throw new Error(`${subject.name} was not done in ${MOST_MS / 1000} s`);
  return counts;
}

/** The rows of a cell; none if one of its runs has no figure. Every run of Sluice must meet the demands. */
function rowsOf(
  { subject, what }: Survivor,
  runs: readonly (Counts | undefined)[],
  { isQuick }: MeasurementContext,
): readonly Row[] {
  const counts = runs.filter((run) => run !== undefined);
  if (counts.length < runs.length) return [];
  const isLate = counts.some(({ isSettled }) => !isSettled);
  const { mostMs } = isQuick ? PATIENCE.quick : PATIENCE.full;
  const unit = unitOf(what.events, isLate ? mostMs : undefined);
  return [
    makeRow({
      ...{ name: rowName(survivedTitle(what), subject.name), unit },
      values: counts.map(({ delivered }) => delivered),
      ...(subject === sluice && { demand: { of: 'every value', bound: 'at least', limit: what.events } }),
    }),
    makeRow({
      ...{ name: rowName(twiceTitle(what), subject.name), unit },
      values: counts.map(({ twice }) => twice),
      ...(subject === sluice && { demand: { of: 'every value', bound: 'at most', limit: 0 } }),
    }),
  ];
}

async function countSurvivors(
  { scenario, events, restMs }: SurvivalCase,
  cell: Cell,
  patience: Patience,
): Promise<Counts> {
  const { service } = cell;
  const page = await scenario.run(cell, events, restMs);
  let isSettled = await service.settle(PREFIX, events, patience);
  if (service.count(PREFIX).delivered === 0) {
    await cell.track(page, PROOF);
    await service.settle(PROOF.prefix, 1, PROOF_PATIENCE);
    if (service.count(PROOF.prefix).delivered === 0) {
      throw new Error('nothing was delivered with the service up: how it is set up is wrong');
    }
    isSettled = await service.settle(PREFIX, events, { ...patience, firstMs: LATE_FIRST_MS });
  }
  return { ...service.count(PREFIX), isSettled };
}
