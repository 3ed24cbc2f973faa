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
