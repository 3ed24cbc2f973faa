import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { chromiumVersion } from './browser/chromium-version.ts';
import { packageVersion } from './package-version.ts';

const GIB = 1024 ** 3;

/** What the figures were measured on and with, for the results: pairs of a name and a value. */
export function describeMachine(): readonly (readonly [string, string])[] {
  const all = cpus();
  const load = loadavg()
    .map((average) => average.toFixed(2))
    .join(', ');
  return [
    ['processors', `${all.length} × ${all[0]?.model.trim() ?? 'unknown'}`],
    ['memory', `${(totalmem() / GIB).toFixed(1)} GiB`],
    ['system', `${type()} ${release()}, ${process.arch}`],
    ['load when it began', load],
    ['Node', process.version],
    ['undici', packageVersion('undici')],
    ['Chromium', chromiumVersion()],
    ['@sluice/core', packageVersion('@sluice/core')],
  ];
}
