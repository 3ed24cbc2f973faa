import type { Measurement, MeasurementContext } from '../../measurements/measurement.ts';
import { makeRow, type Row } from '../../row.ts';
import type { BrowserSubject } from '../browser-subject.ts';
import { Cell } from '../cell.ts';
import type { Patience } from '../collector.ts';
import { type Field, withField } from '../field.ts';
import { rowName, survivedTitle, twiceTitle, unitOf } from '../row-names.ts';
import { PREFIX, REST_MS, SCENARIOS, type Scenario } from '../scenarios.ts';
import { sideBySide } from '../side-by-side.ts';
import { QUICK_SUBJECTS, SUBJECTS, sluice } from '../subjects.ts';
import { within } from '../within.ts';

const EVENTS = { full: 1000, quick: 200 };
const PATIENCE = {
  // RudderStack looks for what an earlier page left after 13 s.
  full: { quietMs: 18_000, mostMs: 130_000, repeatMs: 2000 },
  quick: { quietMs: 18_000, mostMs: 30_000, repeatMs: 500 },
};
/** Tracked with the service up, in the last page of a scenario, where nothing has arrived. */
const PROOF = { prefix: 'proof', from: 0, count: 100 };
const PROOF_PATIENCE = { quietMs: 20_000, mostMs: 20_000, repeatMs: 0 };
/** Of a cell: an SDK that keeps its page from doing anything else for so long has no figure. */
const MOST_MS = 190_000;
/** They wait most of the time. */
const CELLS_AT_ONCE = 8;

/** What is left of the events of a page whose service was down. */
export const survival: Measurement = {
  name: 'survival',
  method:
    `${EVENTS.full.toLocaleString('en')} events are tracked in chunks of 100 while the service is down (connections end at once; navigator.onLine ` +
    `stays true); ${REST_MS / 1000} s later the page is reloaded, or closed, or its browser gets SIGKILL; then the service is up, and the page is loaded ` +
    'again: the same tab, a new one, one of a new browser with the same profile, the same two tabs. What arrives is counted by an id in ' +
    `the payload, until all is there, or nothing new came for ${PATIENCE.full.quietMs / 1000} s, or ${PATIENCE.full.mostMs / 1000} s have passed; ${PATIENCE.full.repeatMs / 1000} s more for what comes twice. Each cell is ` +
    `one run in a Chromium of its own with a new profile, ${CELLS_AT_ONCE} at a time. One of which nothing has arrived tracks ${PROOF.count} more, with the service ` +
    'up: where nothing of those arrives either, the harness is wrong, and there are no figures.',
  run,
};

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const subjects = context.isQuick ? QUICK_SUBJECTS : SUBJECTS;
  const cells = subjects
    .flatMap((subject) => SCENARIOS.map((scenario) => ({ scenario, subject })))
    .filter(({ scenario, subject }) => !context.isQuick || subject === sluice || scenario === SCENARIOS[0]);
  const rows = await withField(subjects, context, (field) =>
    sideBySide(cells, CELLS_AT_ONCE, ({ scenario, subject }) => runCell(scenario, subject, field, context)),
  );
  return rows.flat();
}

async function runCell(
  scenario: Scenario,
  subject: BrowserSubject,
  { chromium, site }: Field,
  { isQuick, directory, tell }: MeasurementContext,
): Promise<readonly Row[]> {
  const size = isQuick ? 'quick' : 'full';
  const name = `${subject.page}-${SCENARIOS.indexOf(scenario)}`;
  await using cell = await Cell.open(chromium, subject, site, directory, name);
  const counts = await within(MOST_MS, countSurvivors(scenario, cell, EVENTS[size], PATIENCE[size]));
  if (counts === undefined) {
    if (subject === sluice)
      throw new Error(`${subject.name} ${scenario.title}: not done in ${MOST_MS / 1000} s`);
    tell(`${rowName(survivedTitle(scenario), subject.name)}: not done in ${MOST_MS / 1000} s`);
    return [];
  }
  const { delivered, twice, isProven, isSettled } = counts;
  if (!isProven) {
    throw new Error(`${subject.name} delivers nothing with the service up: how it is set up is wrong`);
  }
  tell(`${rowName(survivedTitle(scenario), subject.name)}: ${delivered}, twice: ${twice}`);
  const unit = unitOf(EVENTS[size], isSettled ? undefined : PATIENCE[size].mostMs);
  return [
    makeRow({
      ...{ name: rowName(survivedTitle(scenario), subject.name), unit, values: [delivered] },
      ...(subject === sluice && { demand: { of: 'value', bound: 'at least', limit: EVENTS[size] } }),
    }),
    makeRow({
      ...{ name: rowName(twiceTitle(scenario), subject.name), unit, values: [twice] },
      ...(subject === sluice && { demand: { of: 'value', bound: 'at most', limit: 0 } }),
    }),
  ];
}

interface Counts {
  readonly delivered: number;
  readonly twice: number;
  /** Whether it delivers at all, as it is set up here. */
  readonly isProven: boolean;
  /** Whether no more would have come. */
  readonly isSettled: boolean;
}

async function countSurvivors(
  scenario: Scenario,
  cell: Cell,
  events: number,
  patience: Patience,
): Promise<Counts> {
  const page = await scenario.run(cell, events);
  const isSettled = await cell.service.settle(PREFIX, events, patience);
  const counts = { ...cell.service.count(PREFIX), isSettled };
  if (counts.delivered > 0) return { ...counts, isProven: true };
  await cell.track(page, PROOF);
  await cell.service.settle(PROOF.prefix, 1, PROOF_PATIENCE);
  return { ...counts, isProven: cell.service.count(PROOF.prefix).delivered > 0 };
}
