// @ts-check
// Starts a fleet, kills what you name, and shows the books.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { whyNoPostgres } from '@sluice/test-servers';
import { startFleet, TARGETS } from './fleet.js';

const HELP = `Usage: npm run example:fleet [-- --kill TARGET,TARGET...]

  --kill    kill these one after the other, then end; without it, type them
  --help    show this and end

Targets: ${TARGETS.join(', ')}. Exit codes: 0 nothing was lost, 1 an event was lost, 2 wrong arguments.
`;
const SHOW_MS = 1_000;
const BETWEEN_MS = 3_000;
const ARRIVE_MS = 300_000;
const COLUMNS = ['taken by relays', 'in the database', 'at the service', 'not yet there', 'twice'];

process.exitCode = await main();

async function main() {
  const targets = readTargets();
  if (typeof targets === 'number') return targets;
  const missing = whyNoPostgres();
  if (missing !== undefined) {
    process.stderr.write(`fleet: ${missing}\n`);
    return 2;
  }
  const tell = (/** @type {string} */ line) => process.stdout.write(`-- ${line}\n`);
  tell('starts a primary, a standby, two relays, two forwarders and the emulator');
  const fleet = await startFleet(tell);
  tell(`events: ${fleet.emulator.baseUrl}`);
  process.stdout.write(`${COLUMNS.join('  ')}\n`);
  const showing = setInterval(() => void show(fleet), SHOW_MS);
  if (targets) {
    for (const target of targets) {
      await pause(BETWEEN_MS);
      await fleet.kill(target);
    }
    await pause(BETWEEN_MS);
  } else await killWhatIsTyped(fleet, tell);
  await fleet.stopVisitors();
  tell('the visitors are gone');
  for (const end = Date.now() + ARRIVE_MS; (await fleet.books()).missing > 0 && Date.now() < end; )
    await pause(SHOW_MS);
  clearInterval(showing);
  const { missing: lost, taken, twice } = await show(fleet);
  process.stdout.write(`fleet: taken ${taken}, lost ${lost}, twice ${twice}\n`);
  await fleet.close();
  return lost === 0 ? 0 : 1;
}

/** @returns {typeof TARGETS[number][] | number | undefined} an exit code if there is nothing to run */
function readTargets() {
  try {
    const options = /** @type {const} */ ({ kill: { type: 'string' }, help: { type: 'boolean' } });
    const { kill, help } = parseArgs({ options }).values;
    if (help) process.stdout.write(HELP);
    return help ? 0 : kill?.split(',').map(targetOf);
  } catch (error) {
    process.stderr.write(`fleet: ${error instanceof Error ? error.message : error}\n${HELP}`);
    return 2;
  }
}

/** @param {string} name */
function targetOf(name) {
  const found = TARGETS.find((target) => target === name.trim());
  if (found === undefined) throw new Error(`there is no "${name}" to kill`);
  return found;
}

/** @param {Awaited<ReturnType<typeof startFleet>>} fleet @param {(line: string) => void} tell */
async function killWhatIsTyped(fleet, tell) {
  tell(`type ${TARGETS.join(', ')} to kill one, or "end"`);
  const lines = createInterface({ input: process.stdin });
  const interrupted = once(process, 'SIGINT').then(() => lines.close());
  for await (const line of lines) {
    if (line.trim() === 'end') break;
    try {
      await fleet.kill(targetOf(line));
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error));
    }
  }
  void interrupted;
}

/** @param {Awaited<ReturnType<typeof startFleet>>} fleet */
async function show(fleet) {
  const books = await fleet.books();
  const { taken, inDatabase, arrived, missing, twice } = books;
  const cells = [taken, inDatabase ?? 'away', arrived, missing, twice];
  const line = cells.map((cell, index) => cell.toLocaleString('en').padStart(COLUMNS[index]?.length ?? 0));
  process.stdout.write(`${line.join('  ')}\n`);
  return books;
}
