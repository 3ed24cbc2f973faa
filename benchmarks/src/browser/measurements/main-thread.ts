import type { Demand } from '../../demand.ts';
import type { Measurement, MeasurementContext } from '../../measurements/measurement.ts';
import { makeRow, type Row } from '../../row.ts';
import type { BrowserSubject } from '../browser-subject.ts';
import { Cell } from '../cell.ts';
import { type Field, withField } from '../field.ts';
import {
  type MainThreadPlan,
  type MainThreadResult,
  runMainThread,
  WARM_UP_EVENTS,
} from '../main-thread-run.ts';
import { BACKLOGS, BUSY, CALLED, DONE, HEAP, LONGEST, rowName, trackTitle } from '../row-names.ts';
import { emptyLoop, PEERS, sluice } from '../subjects.ts';

const PLAN = {
  full: { events: 10_000, backlogs: BACKLOGS, mostMs: 12_000 },
  quick: { events: 1000, backlogs: [100], mostMs: 5000 },
} as const satisfies Record<string, MainThreadPlan>;
const ROUNDS = { full: 3, quick: 1 };
const MB = 1_000_000;

const MOST_SECONDS = PLAN.full.mostMs / 1000;

/** The cost of tracking in a page that is offline. */
export const mainThread: Measurement = {
  name: 'main-thread',
  method:
    `After ${WARM_UP_EVENTS.toLocaleString('en')} events that warm it up, with the service up, the page is offline (navigator.onLine is false, too), and ` +
    `${PLAN.full.events.toLocaleString('en')} events are tracked in chunks of 100, each a task of its own; then until the main thread has been idle for a second. Its ` +
    'time is that of all its tasks (TaskDuration of the DevTools protocol) without what the same calls of an empty function take; the longest task is one ' +
    'of more than 50 ms, or else the longest chunk of calls; the heap is objects and array buffers after a full collection, over that ' +
    'before the first event. track() at a backlog is the median of 10 chunks from there on; the page is cross-origin isolated, so that its clock has steps of 5 µs. ' +
    `What is not done after ${MOST_SECONDS} s is ended; if the page of Sluice does not respond then, all of that counts as its longest task. Sluice and the empty loop take turns, in ${ROUNDS.full} rounds; peers run once. There is never more than one browser.`,
  run,
};

interface Named {
  readonly subject: BrowserSubject;
  readonly results: readonly MainThreadResult[];
}

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const { isQuick } = context;
  const peers = isQuick ? [] : PEERS;
  return withField([emptyLoop, sluice, ...peers], context, async (field) => {
    const [empty, own] = await inTurns([emptyLoop, sluice], field, context);
    if (empty === undefined || own === undefined) return [];
    const others: Named[] = [];
    for (const subject of peers)
      others.push({ subject, results: [await runOnce(subject, 0, field, context)] });
    return [own, ...others].flatMap((one) => rowsOf(one, empty.results, isQuick));
  });
}

/** Measures the subjects alternately, in rounds. */
async function inTurns(
  subjects: readonly BrowserSubject[],
  field: Field,
  context: MeasurementContext,
): Promise<readonly Named[]> {
  const named = subjects.map((subject) => ({ subject, results: [] as MainThreadResult[] }));
  for (let round = 0; round < (context.isQuick ? ROUNDS.quick : ROUNDS.full); round += 1) {
    for (const { subject, results } of named) results.push(await runOnce(subject, round, field, context));
  }
  return named;
}

async function runOnce(
  subject: BrowserSubject,
  round: number,
  { chromium, site }: Field,
  { isQuick, directory, tell }: MeasurementContext,
): Promise<MainThreadResult> {
  await using cell = await Cell.open(chromium, subject, site, directory, `${subject.page}-${round}`);
  const result = await runMainThread(cell, isQuick ? PLAN.quick : PLAN.full);
  tell(
    `main-thread, round ${round + 1}, ${subject.name}: ${result.called} calls, busy ${Math.round(result.busyMs)} ms` +
      `${result.isDone ? '' : ', not done in time'}`,
  );
  return result;
}

function rowsOf(
  { subject, results }: Named,
  empty: readonly MainThreadResult[],
  isQuick: boolean,
): readonly Row[] {
  const row = (title: string, unit: string, values: readonly number[], demand?: Demand) =>
    makeRow({
      ...{ name: rowName(title, subject.name), unit, values },
      ...(demand && subject === sluice && { demand }),
    });
  const heaps = results.flatMap(({ heapBytes }) => (heapBytes === undefined ? [] : [heapBytes / MB]));
  // A page that did not respond was blocked, nobody knows in how many tasks: Sluice's counts as one. A peer has no figure.
  const { mostMs, backlogs } = isQuick ? PLAN.quick : PLAN.full;
  const longest = results.flatMap(({ longestTaskMs }) => longestTaskMs ?? (subject === sluice ? mostMs : []));
  const above = results.map(({ busyMs }, round) => busyMs - (empty[round]?.busyMs ?? Number.NaN));
  return [
    row(
      CALLED,
      '',
      results.map(({ called }) => called),
    ),
    row(
      DONE,
      '',
      results.map(({ isDone }) => Number(isDone)),
      { of: 'every value', bound: 'at least', limit: 1 },
    ),
    row(BUSY, 'ms', above, { of: 'value', bound: 'at most', limit: 150 }),
    ...(longest.length > 0
      ? [row(LONGEST, 'ms', longest, { of: 'value', bound: 'at most', limit: 50 })]
      : []),
    ...(heaps.length > 0 ? [row(HEAP, 'MB', heaps, { of: 'value', bound: 'at most', limit: 2 })] : []),
    ...backlogs.flatMap((backlog) => {
      const costs = results.flatMap(({ trackUs }) => trackUs.get(backlog) ?? []);
      return costs.length === 0
        ? []
        : [row(trackTitle(backlog), 'us', costs, { of: 'value', bound: 'at most', limit: 5 })];
    }),
  ];
}
