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
  full: { quietMs: 10_000, mostMs: 130_000, repeatMs: 2000 },
  quick: { quietMs: 10_000, mostMs: 30_000, repeatMs: 500 },
};
/** Tracked with the service up, in the last page of a scenario, where nothing has arrived. */
const PROOF = { prefix: 'proof', from: 0, count: 100 };
const PROOF_PATIENCE = { quietMs: 20_000, mostMs: 20_000, repeatMs: 0 };
/** Of a cell: an SDK that keeps its page from doing anything else for so long has no figure. */
const MOST_MS = 200_000;

/** What is left of the events of a page whose service was down. */
export const survival: Measurement = {
  name: 'survival',
  method:
    'Events are tracked in chunks of 100 while the service is down (connections end at once; navigator.onLine ' +
    'stays true). 2 or 10 s after the last call the page is reloaded, or closed, or its browser gets SIGKILL: Chromium writes ' +
    'localStorage to the disk some seconds after the page did. Then the service is up, and the page is loaded ' +
    'again: the same tab, a new one, one of a new browser with the same profile, the same two tabs. What arrives is counted by an id in ' +
    `the payload, until all is there, or nothing new came for ${PATIENCE.full.quietMs / 1000} s (18 s for RudderStack, which waits longer), or ${PATIENCE.full.mostMs / 1000} s ` +
    `have passed; ${PATIENCE.full.repeatMs / 1000} s more for what comes twice. Each cell is ${RUNS.full} runs, each in a Chromium of its own with a new ` +
    'profile; the least and the most are shown where they differ. There is never more than one browser. ' +
    `A cell of which nothing has arrived tracks ${PROOF.count} more, with the service ` +
    'up: where nothing of those arrives either, the harness is wrong, and there are no figures.',
  run,
};

/** An SDK, and what happens to it. */
interface Survivor {
  readonly subject: BrowserSubject;
  readonly what: SurvivalCase;
}

interface Counts {
  readonly delivered: number;
  readonly twice: number;
  /** Whether it delivers at all, as it is set up here. */
  readonly isProven: boolean;
  /** Whether no more would have come. */
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

async function runCell(
  { subject, what }: Survivor,
  round: number,
  { chromium, site }: Field,
  { isQuick, directory, tell }: MeasurementContext,
): Promise<Counts | undefined> {
  const name = `${subject.page}-${caseTitle(what).replaceAll(/\W/g, '-')}-${round}`;
  await using cell = await Cell.open(chromium, subject, site, directory, name);
  const { quietMs = PATIENCE.full.quietMs } = subject;
  const patience = { ...(isQuick ? PATIENCE.quick : PATIENCE.full), quietMs };
  const counts = await within(MOST_MS, countSurvivors(what, cell, patience));
  const title = `run ${round + 1}, ${rowName(survivedTitle(what), subject.name)}`;
  if (counts === undefined) {
    const late = `${title}: not done in ${MOST_MS / 1000} s`;
    if (subject === sluice) throw new Error(late);
    tell(late);
    return undefined;
  }
  if (!counts.isProven) {
    throw new Error(`${subject.name} delivers nothing with the service up: how it is set up is wrong`);
  }
  tell(`${title}: ${counts.delivered}, twice: ${counts.twice}`);
  return counts;
}

/** What every run of Sluice must hold is demanded of each of them, not of their median. */
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
  const page = await scenario.run(cell, events, restMs);
  const isSettled = await cell.service.settle(PREFIX, events, patience);
  const counts = { ...cell.service.count(PREFIX), isSettled };
  if (counts.delivered > 0) return { ...counts, isProven: true };
  await cell.track(page, PROOF);
  await cell.service.settle(PROOF.prefix, 1, PROOF_PATIENCE);
  return { ...counts, isProven: cell.service.count(PROOF.prefix).delivered > 0 };
}
