import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { chromiumVersion } from './browser/chromium-version.ts';
import { packageVersion } from './package-version.ts';

const GIB = 1024 ** 3;

/** The machine on which the figures were measured. */
export interface Machine {
  /** Number and model of the processors. */
  readonly processors: string;
  /** How busy other programs kept it when the run began: load averages of 1, 5 and 15 minutes. */
  readonly load: readonly number[];
  /** Versions and other facts: pairs of a name and a value. */
  readonly others: readonly (readonly [string, string])[];
}

export function describeMachine(): Machine {
  const all = cpus();
  return {
    processors: `${all.length} × ${all[0]?.model.trim() ?? 'unknown'}`,
    load: loadavg(),
    others: [
      ['memory', `${(totalmem() / GIB).toFixed(1)} GiB`],
      ['system', `${type()} ${release()}, ${process.arch}`],
      ['Node', process.version],
      ['undici', packageVersion('undici')],
      ['Chromium', chromiumVersion()],
      ['@sluice/core', packageVersion('@sluice/core')],
    ],
  };
}

/** The line beside figures: date, processors, and their load when the run began. */
export function machineLine(machine: Machine, date: Date): string {
  return `${date.toISOString().slice(0, 10)}, ${loadLine(machine)}`;
}

/** `2 × CPU, load at the start 0.10, 0.20, 0.30 (1, 5, 15 minutes)` */
export function loadLine({ processors, load }: Machine): string {
  const averages = load.map((average) => average.toFixed(2)).join(', ');
  return `${processors}, load at the start ${averages} (1, 5, 15 minutes)`;
}
