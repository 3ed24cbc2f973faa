import { findProgram } from '@sluice/test-servers';

/** How a proxy between the sender and the service behaves. */
export interface ProxyRules {
  /** Requests above this rate are answered with the status. */
  readonly rate?: { readonly perSecond: number; readonly status: 429 | 503 };
  /** Larger bodies are answered with 413. */
  readonly maxBodyBytes?: number;
  /** If the service is silent for this long, the request is answered with 504. Default: 30,000 in HAProxy, 60,000 in nginx. */
  readonly upstreamTimeoutMs?: number;
  /** A connection is closed after this many requests, or this many idle milliseconds. */
  readonly keepAlive?: { readonly requests: number; readonly idleMs: number };
  /** Every request is answered with 301, to this address. */
  readonly redirectTo?: string;
  /** Forwards a body while it arrives, instead of when it is complete. */
  readonly isStreaming?: boolean;
}

/** The values for which a configuration is written. */
export interface Place {
  /** Directory of all files of the proxy. */
  readonly directory: string;
  readonly port: number;
  readonly upstreamPort: number;
  /** Number of the configuration. The proxy answers it at `GENERATION_PATH`. */
  readonly generation: number;
}

/** A reverse proxy program. */
export interface ProxyKind {
  readonly name: string;
  /** The Debian package that contains it. */
  readonly debianPackage: string;
  /** The arguments that start it in the foreground. */
  arguments(directory: string): readonly string[];
  configuration(place: Place, rules: ProxyRules): string;
  /** Makes it reload its configuration while it serves. */
  readonly reloadSignal: NodeJS.Signals;
}

/** File name of the configuration, in the directory of the proxy. */
export const CONFIGURATION = 'proxy.conf';
/** At this path a proxy answers the number of its current configuration, whatever its rules. */
export const GENERATION_PATH = '/generation';

/** Why a proxy cannot be started here; undefined if it can. */
export function whyNoProxy(kind: ProxyKind): string | undefined {
  if (findProgram(kind.name) !== undefined) return undefined;
  return `${kind.name} is not installed: apt-get install ${kind.debianPackage}`;
}
