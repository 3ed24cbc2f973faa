import { execFileSync } from 'node:child_process';
import { CHROMIUM } from '../faults/browser/find-chromium.ts';

/** The version of Chromium, for example "156.0.7600.1", or "none" if there is no Chromium. */
export function chromiumVersion(): string {
  if (CHROMIUM === undefined) return 'none';
  const said = execFileSync(CHROMIUM, ['--version'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return /\d[\d.]*/.exec(said)?.[0] ?? said.trim();
}
