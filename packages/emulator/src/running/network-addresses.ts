import { networkInterfaces } from 'node:os';

/** The addresses at which other machines reach this one, if the emulator listens on all of them; otherwise undefined. */
export function networkAddresses(host: string | undefined): string[] | undefined {
  if (host !== '0.0.0.0' && host !== '::') return undefined;
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all
    .filter(({ internal, family }) => !internal && (family === 'IPv4' || host === '::'))
    .map(({ address }) => address);
}
