import { setTimeout as sleep } from 'node:timers/promises';
import type { Measurement, MeasurementContext } from '../../measurements/measurement.ts';
import { inRounds } from '../../measurements/rounds.ts';
import { makeRow, type Row } from '../../row.ts';
import { Cell } from '../cell.ts';
import { type Field, withField } from '../field.ts';
import { rowName } from '../row-names.ts';
import { PREFIX } from '../scenarios.ts';
import { sluice } from '../subjects.ts';

const EVENTS = { full: 30_000, quick: 3_000 };
const ROUNDS = { full: 5, quick: 1 };
const SLOWDOWN = 6;
/** The last events are stored so soon after they were tracked. */
const REST_MS = 2_000;
const PATIENCE = { firstMs: 20_000, quietMs: 20_000, mostMs: 120_000, repeatMs: 500 };

/** The cost of a backlog to a page on a slow device. */
export const slowDevice: Measurement = {
  name: 'slow-device',
  method:
    `${EVENTS.full.toLocaleString('en')} events are tracked while the service is down, and the page is closed. Then the service is up, and a new page starts ` +
    `with its CPU slowed down to a ${SLOWDOWN}th by the DevTools protocol, until all have arrived. Its longest task of more than 50 ms, loading included; and that of a page in which nothing waits.`,
  run,
};

async function run(context: MeasurementContext): Promise<readonly Row[]> {
  const { isQuick } = context;
  return withField([sluice], context, async (field) => {
    const rounds = isQuick ? ROUNDS.quick : ROUNDS.full;
    const roundsOf = await inRounds(rounds, [sluice], (_, round) => runOnce(round, field, context));
    const longest = roundsOf(sluice);
    return [
      makeRow({
        name: rowName('longest task at a sixth of the speed', sluice.name),
        unit: 'ms',
        values: longest.map(({ delivering }) => delivering),
        demand: { of: 'value', bound: 'at most', limit: 50 },
      }),
      makeRow({
        name: rowName('the same where nothing waits', sluice.name),
        unit: 'ms',
        values: longest.map(({ starting }) => starting),
      }),
    ];
  });
}

/** Durations of tasks, in milliseconds. 0 if none took more than 50. */
interface Longest {
  readonly delivering: number;
  /** Where nothing waits: what it takes to load the script and create a tracker. */
  readonly starting: number;
}

async function runOnce(
  round: number,
  { chromium, site }: Field,
  { isQuick, directory, tell }: MeasurementContext,
): Promise<Longest> {
  const count = isQuick ? EVENTS.quick : EVENTS.full;
  await using cell = await Cell.open(chromium, sluice, site, directory, `slow-${round}`);
  const first = await cell.visit();
  await cell.track(first, { prefix: PREFIX, from: 0, count });
  await sleep(REST_MS);
  await first.close();
  cell.service.goUp();
  const longest = async () => {
    const page = await cell.openTab();
    // The first call loads scripts of Playwright's own into the page: that is no cost of Sluice.
    await page.evaluate(() => driver.longestTaskMs());
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
    await cell.startSdk(page);
    await cell.service.settle(PREFIX, count, PATIENCE);
    return page.evaluate(() => driver.longestTaskMs());
  };
  const delivering = await longest();
  const { delivered } = cell.service.count(PREFIX);
  if (delivered < count) throw new Error(`${delivered} of ${count} events arrived`);
  const starting = await longest();
  tell(
    `slow-device, round ${round + 1}: longest task ${delivering} ms, ${starting} ms where nothing waits (0: none above 50)`,
  );
  return { delivering, starting };
}
