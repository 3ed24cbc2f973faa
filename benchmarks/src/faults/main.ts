import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ArgumentError, select } from '../command-line.ts';
import { checkWritable, writeRows } from '../json-file.ts';
import { makeScratchDirectory } from '../scratch-directory.ts';
import { tableHead } from '../text-table.ts';
import { type FaultArguments, faultsHelp, parseFaultArguments } from './arguments.ts';
import type { Fault } from './fault.ts';
import { COLUMNS, type FaultRow, lines, summary } from './fault-row.ts';
import { FAULTS } from './faults.ts';

/** How many rows run at the same time: most of them wait most of the time. In a full run, no row may disturb another. */
const AT_ONCE = { full: 1, quick: 3 };

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let wanted: FaultArguments;
  let faults: readonly Fault[];
  try {
    wanted = parseFaultArguments(args);
    faults = select(FAULTS, wanted.only);
    checkWritable(wanted.json);
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    process.stderr.write(`faults: ${error.message}\n`);
    return 2;
  }
  if (wanted.help) {
    process.stdout.write(faultsHelp(FAULTS.map(({ name }) => name)));
    return 0;
  }
  const seed = wanted.seed ?? Math.floor(Math.random() * 2 ** 32);
  const scratch = makeScratchDirectory();
  process.stdout.write(`${tableHead(COLUMNS)}\n`);
  const rows: FaultRow[] = [];
  const left = faults.values();
  const runRest = async () => {
    for (const fault of left) {
      const row = await runFault(fault, { isQuick: wanted.quick, seed, scratch });
      for (const line of lines(row)) process.stdout.write(`${line}\n`);
      rows.push(row);
    }
  };
  await Promise.all(Array.from({ length: wanted.quick ? AT_ONCE.quick : AT_ONCE.full }, runRest));
  if (wanted.json !== undefined) writeRows(wanted.json, rows);
  process.stdout.write(`${summary(rows)}\n`);
  return rows.some((row) => row.result === 'failed') ? 1 : 0;
}

async function runFault(
  fault: Fault,
  { isQuick, seed, scratch }: { isQuick: boolean; seed: number; scratch: string },
): Promise<FaultRow> {
  const { name, notQuick, skipReason = isQuick ? notQuick : undefined } = fault;
  const nothing = { name, seed, seconds: 0, tries: 0, durable: 0, lost: 0, duplicates: 0, demand: '' };
  if (skipReason !== undefined) return { ...nothing, result: 'skipped', problems: [skipReason] };
  const directory = join(scratch, name);
  mkdirSync(directory);
  const startedAt = performance.now();
  const took = () => Math.round((performance.now() - startedAt) / 100) / 10;
  try {
    const found = await fault.run({ isQuick, seed, directory });
    const isGood = found.lost === 0 && found.problems.length === 0;
    return { name, seed, seconds: took(), ...found, result: isGood ? 'passed' : 'failed' };
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { ...nothing, seconds: took(), result: 'failed', problems: [reason] };
  }
}
