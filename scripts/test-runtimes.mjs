// Runs the battery (runtimes/battery.mjs) with the built packages on Node, Bun and Deno, and prints a table. Arguments choose
// runtimes by the start of their names, such as `bun` or `node-22`. The last line is `N passed, N failed`, as that of `npm test`.
import { startEmulator } from '@sluice/emulator';
import { CHECKS, runCheck, SKIPPED } from './runtimes/battery.mjs';
import { install, RUNTIMES } from './runtimes/install.mjs';
import { summaryLine } from './test-report.mjs';

const LABEL = 14;
const CELL = 12;
/** How many runtimes are installed or checked at the same time: an installation uses one processor. */
const AT_ONCE = 2;
const asked = process.argv.slice(2).map((name) => name.toLowerCase());
const names = Object.keys(CHECKS);
const counts = { passed: 0, failed: 0, skipped: 0 };
/** What failed, or was skipped, and why. @type {string[]} */
const remarks = [];
const emulator = await startEmulator({ primaryKey: 'email', behaviour: { compression: true } });
await emulator.addCustomers([{ email: 'ada@example.com', first_name: 'Ada' }]);

/** @param {string} program @param {import('./runtimes/install.mjs').Runtime} runtime @param {string} name of a check */
async function cellOf(program, { args, label }, name) {
  /** @param {keyof typeof counts} result @param {string} [remark] */
  const cell = (result, remark) => {
    counts[result] += 1;
    // A line of CI's log counts as a failure if it begins with FAIL.
    const start = result === 'failed' ? 'FAIL ' : '';
    if (remark !== undefined) remarks.push(`${start}${label}, ${name}, ${result}: ${remark}`);
    return (result === 'passed' ? 'ok' : result).padEnd(CELL);
  };
  if (SKIPPED[name] !== undefined) return cell('skipped', SKIPPED[name]);
  const problem = await runCheck([program, ...args], emulator, label, name);
  return problem === undefined ? cell('passed') : cell('failed', problem);
}

/** @param {import('./runtimes/install.mjs').Runtime} runtime */
async function rowOf(runtime) {
  /** @type {string} */
  let program;
  try {
    program = await install(runtime);
  } catch (error) {
    counts.skipped += names.length;
    const reason = error instanceof Error ? error.message.trim().split('\n').slice(0, 2).join('; ') : error;
    return `skipped, not installed: ${reason}`;
  }
  const start = performance.now();
  const cells = await Promise.all(names.map((name) => cellOf(program, runtime, name)));
  return `${cells.join('')}${((performance.now() - start) / 1000).toFixed(1)} s`;
}

console.log(`${'runtime'.padEnd(LABEL)}${names.map((name) => name.padEnd(CELL)).join('')}`);
const chosen = RUNTIMES.filter(({ label }) => {
  const key = label.replace(' ', '-').toLowerCase();
  return asked.length === 0 || asked.some((name) => key.startsWith(name));
}).values();
const runRest = async () => {
  for (const runtime of chosen) console.log(runtime.label.padEnd(LABEL) + (await rowOf(runtime)));
};
await Promise.all(Array.from({ length: AT_ONCE }, runRest));
await emulator.close();
for (const remark of remarks) console.log(remark);
if (counts.passed === 0) counts.failed ||= 1;
console.log(summaryLine(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;
