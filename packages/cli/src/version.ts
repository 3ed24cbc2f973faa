import { readFileSync } from 'node:fs';

/** The version of Sluice: all its packages share one. */
export function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}
