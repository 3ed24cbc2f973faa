import { execFileSync } from 'node:child_process';
import { CHROMIUM } from '../faults/browser/find-chromium.ts';

/** As in "156.0.7600.1", or that there is none. */
export function chromiumVersion(): string {
  if (CHROMIUM === undefined) return 'none';
  const said = execFileSync(CHROMIUM, ['--version'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return /\d[\d.]*/.exec(said)?.[0] ?? said.trim();
}
