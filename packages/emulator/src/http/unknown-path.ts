import { quote } from '../quote.ts';

/** The existing paths, for messages. */
export interface Paths {
  /** Paths on the base address of the request. */
  readonly here: readonly string[];
  /** Paths on the other base address. */
  readonly elsewhere: readonly string[];
  /** The other base address. It is a function because the port is known only once the emulator listens. */
  readonly otherUrl: () => string;
}

/** Explains why there is nothing at `path`, and what was probably meant. */
export function explainUnknownPath(path: string, { here, elsewhere, otherUrl }: Paths): string {
  const nothing = `There is nothing at ${quote(path)}`;
  if (here.includes(`${path}/`)) return `${nothing}: the trailing slash is missing.`;
  if (path.endsWith('/') && here.includes(path.slice(0, -1))) return `${nothing}: it has no trailing slash.`;
  if (elsewhere.includes(path)) return `${nothing}: that path is on the other base address, ${otherUrl()}.`;
  return `${nothing} on this base address: there is ${here.join(', ')}.`;
}
