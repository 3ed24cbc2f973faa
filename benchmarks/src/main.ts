import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BENCH_HELP, type BenchArguments, parseBenchArguments } from './arguments.ts';
import { mainThread } from './browser/measurements/main-thread.ts';
import { browserSize } from './browser/measurements/size.ts';
import { slowDevice } from './browser/measurements/slow-device.ts';
import { survival } from './browser/measurements/survival.ts';
import { ArgumentError, select } from './command-line.ts';
import { emulator } from './emulator/emulator.ts';
import { cells, TITLES } from './figures.ts';
import { checkWritable, writeRows } from './json-file.ts';
import { describeMachine, loadLine } from './machine.ts';
import { backlog } from './measurements/backlog.ts';
import { burst } from './measurements/burst.ts';
import { burstSizes } from './measurements/burst-sizes.ts';
import { durable } from './measurements/durable.ts';
import { idle } from './measurements/idle.ts';
import type { Measurement } from './measurements/measurement.ts';
import { memory } from './measurements/memory.ts';
import { paced } from './measurements/paced.ts';
import { peers } from './measurements/peers.ts';
import { recovery } from './measurements/recovery.ts';
import { track } from './measurements/track.ts';
import { checkPages, writePages, writeSurvival } from './pages.ts';
import { plotsOf } from './plots/plots.ts';
import { postgres } from './postgres/postgres.ts';
import { tableSize } from './postgres/table-size.ts';
import { relay } from './relay/relay.ts';
import type { Row } from './row.ts';
import { makeScratchDirectory } from './scratch-directory.ts';
import { fitColumns, tableLine } from './text-table.ts';
import { averageBytes } from './workload/average-bytes.ts';

const IN_NODE: readonly Measurement[] = [
  ...[burst, burstSizes, peers, track, recovery, durable, backlog, memory, paced, idle, emulator, relay],
  ...[postgres, tableSize],
];
const IN_BROWSER: readonly Measurement[] = [browserSize, mainThread, slowDevice];
const ROUNDS = { full: 5, quick: 1 };

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let wanted: BenchArguments;
  let measurements: readonly Measurement[];
  try {
    wanted = parseBenchArguments(args);
    measurements = select(choices(wanted), wanted.only);
    checkWritable(wanted.json);
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    process.stderr.write(`bench: ${error.message}\n`);
    return 2;
  }
  if (wanted.help) {
    process.stdout.write(BENCH_HELP);
    return 0;
  }
  const isWhole = !wanted.quick && wanted.only === undefined && wanted.profile === undefined;
  if (isWhole) checkPages();
  const machine = describeMachine();
  process.stdout.write(`On ${loadLine(machine)}.\n\n`);
  const { measured, problems } = await measureAll(measurements, wanted);
  const rowsOf = (part: readonly Measurement[]) => part.flatMap((one) => measured.get(one) ?? []);
  const rows = rowsOf(measurements);
  printTable(rows);
  process.stdout.write(`On ${loadLine(machine)}.\n\n`);
  for (const problem of problems) process.stdout.write(`INCORRECT: ${problem}\n`);
  if (wanted.json !== undefined) writeRows(wanted.json, rows);
  if (isWhole && problems.length === 0 && rows.length > 0) {
    const about = { machine, date: new Date() };
    if (wanted.survival) await writeSurvival({ ...about, rows, measurement: survival });
    else {
      const [node, browser] = [rowsOf(IN_NODE), rowsOf(IN_BROWSER)];
      await writePages({
        ...{ ...about, conditions: conditions(), rows: node, measurements: IN_NODE, plots: plotsOf(node) },
        browser: { rows: browser, measurements: IN_BROWSER },
      });
    }
    process.stdout.write(
      `Written to benchmarks/results.md, benchmarks/plots${wanted.survival ? '' : ' and README.md'}.\n`,
    );
  }
  const count = (pass: boolean) => rows.filter((row) => row.pass === pass).length;
  process.stdout.write(
    `${count(true)} demands met, ${count(false)} missed, ${problems.length} measurements incorrect` +
      `${wanted.quick ? ' (quick: for correctness, not for timing)' : ''}\n`,
  );
  return problems.length === 0 ? 0 : 1;
}

/** The measurements that run if no name is given. A name may be that of any measurement. */
function choices({ survival: isSurvival, quick, only }: BenchArguments): readonly Measurement[] {
  if (isSurvival) return [survival];
  const usual = [...IN_NODE, ...IN_BROWSER];
  return quick || only !== undefined ? [...usual, survival] : usual;
}

async function measureAll(
  measurements: readonly Measurement[],
  { quick, profile }: BenchArguments,
): Promise<{ measured: Map<Measurement, readonly Row[]>; problems: string[] }> {
  const measured = new Map<Measurement, readonly Row[]>();
  const problems: string[] = [];
  const scratch = makeScratchDirectory();
  const rounds = quick ? ROUNDS.quick : ROUNDS.full;
  const execArgv = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(profile)}`];
  for (const measurement of measurements) {
    const directory = join(scratch, measurement.name);
    mkdirSync(directory);
    const tell = (line: string) => process.stdout.write(`${line}\n`);
    try {
      measured.set(measurement, await measurement.run({ rounds, isQuick: quick, directory, execArgv, tell }));
    } catch (error) {
      problems.push(`${measurement.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { measured, problems };
}

function printTable(rows: readonly Row[]): void {
  const texts = [TITLES, ...rows.map(cells)];
  const columns = fitColumns(texts);
  process.stdout.write(`\n${texts.map((line) => tableLine(columns, line)).join('\n')}\n\n`);
}

function conditions(): string[] {
  return [
    `Events of ${averageBytes()} bytes on average, medians of ${ROUNDS.full} rounds with the least and the ` +
      'most. Every run is a fresh process; the subjects of a round take turns, every second round in reverse.',
    'The receiver is a plain node:http server on loopback in its own process. It collects the uuids of all events: a run in ' +
      'which one is missing or comes twice is an error, and has no figure.',
    'Trackers have their default options but for what a row names. Journals lie in the temporary directory of the system.',
  ];
}
