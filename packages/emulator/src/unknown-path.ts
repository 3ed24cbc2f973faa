import { quote } from './quote.ts';

/** The paths that there are, for messages. */
export interface Paths {
  /** Those of the base address that was asked. */
  readonly here: readonly string[];
  /** Those of the other base address. */
  readonly elsewhere: readonly string[];
  /** The other base address. A function, as its port is known only once it listens. */
  readonly otherUrl: () => string;
}

/** Says why there is nothing at `path`, and what was probably meant. */
export function explainUnknownPath(path: string, { here, elsewhere, otherUrl }: Paths): string {
  const nothing = `There is nothing at ${quote(path)}`;
  if (here.includes(`${path}/`)) return `${nothing}: the trailing slash is missing.`;
  if (path.endsWith('/') && here.includes(path.slice(0, -1))) return `${nothing}: it has no trailing slash.`;
  if (elsewhere.includes(path)) return `${nothing}: that path is on the other base address, ${otherUrl()}.`;
  return `${nothing} on this base address: there is ${here.join(', ')}.`;
}
