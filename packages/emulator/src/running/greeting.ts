import { networkInterfaces } from 'node:os';
import type { Emulator } from './emulator.ts';

/** The text for a person at a terminal when the emulator is ready. It contains the API key, so show it only at a terminal. */
export function greeting(
  { baseUrl, apiUrl, pagesUrl, apiKey, primaryKey }: Emulator,
  data?: string,
  addresses: readonly string[] = [],
): string {
  const lines = [
    ['Pages', pagesUrl],
    ['Send events to', baseUrl],
    ['Read customers at', apiUrl],
    ['API key', apiKey],
    ['Primary key', primaryKey ?? 'none yet: select one on the audience page'],
    ['Kept in', data ?? 'memory only: gone when it ends'],
    ...addresses.map((address) => ['Also reached at', address] as const),
  ] as const;
  const width = Math.max(...lines.map(([name]) => name.length));
  const body = lines.map(([name, value]) => `  ${name.padEnd(width)}  ${value}\n`).join('');
  return `\nThe Sluice emulator is ready.\n\n${body}\nCtrl-C ends it.\n\n`;
}

/** The addresses at which other machines reach this one, if the emulator listens on all of them; otherwise undefined. */
export function networkAddresses(host: string | undefined): string[] | undefined {
  if (host !== '0.0.0.0' && host !== '::') return undefined;
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all
    .filter(({ internal, family }) => !internal && (family === 'IPv4' || host === '::'))
    .map(({ address }) => address);
}
