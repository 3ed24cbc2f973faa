import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';

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
    ['undici', version('undici', './package.json')],
    ['@sluice/core', version('@sluice/core', '../package.json')],
  ];
}

/** The version of an installed package, whose manifest lies there as seen from its main module. */
function version(name: string, manifest: string): string {
  const text = readFileSync(new URL(manifest, import.meta.resolve(name)), 'utf8');
  const parsed: { version: string } = JSON.parse(text);
  return parsed.version;
}
