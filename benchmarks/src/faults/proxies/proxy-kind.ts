import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What stands between the sender and the service, and how it behaves. */
export interface ProxyRules {
  /** Requests a second that pass; the others are answered with the status. */
  readonly rate?: { readonly perSecond: number; readonly status: 429 | 503 };
  /** Larger bodies are answered 413. */
  readonly maxBodyBytes?: number;
  /** How long the service may be silent, in milliseconds, until a request is answered 504. Default: 30,000. */
  readonly upstreamTimeoutMs?: number;
  /** After so many requests, or so many idle milliseconds, a connection is closed. */
  readonly keepAlive?: { readonly requests: number; readonly idleMs: number };
  /** Answers every request 301, to this address. */
  readonly redirectTo?: string;
  /** Hands a body on while it comes, instead of once it is there. */
  readonly isStreaming?: boolean;
}

/** What a configuration is written for. */
export interface Place {
  /** For all files of the proxy. */
  readonly directory: string;
  readonly port: number;
  readonly upstreamPort: number;
  /** Answered to `GENERATION_PATH`: which of its configurations it is. */
  readonly generation: number;
}

/** A program that is a reverse proxy. */
export interface ProxyKind {
  readonly name: string;
  /** The Debian package that has it. */
  readonly debianPackage: string;
  /** The arguments that start it in the foreground. */
  arguments(directory: string): readonly string[];
  configuration(place: Place, rules: ProxyRules): string;
  /** Makes it read its configuration again, while it serves. */
  readonly reloadSignal: NodeJS.Signals;
}

/** Where a configuration lies in the directory of a proxy. */
export const CONFIGURATION = 'proxy.conf';
/** Where a proxy says by which of its configurations it serves, whatever its rules. */
export const GENERATION_PATH = '/generation';
/** Debian keeps servers where not every user looks. */
const SERVER_PLACES = ['/usr/sbin', '/usr/local/sbin'];

/** The program's path; undefined where it is not installed. */
export function findProxy({ name }: ProxyKind): string | undefined {
  const places = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...SERVER_PLACES];
  return places.map((place) => join(place, name)).find(isExecutable);
}

/** Why a proxy cannot be started here; undefined where it can. */
export function whyNoProxy(kind: ProxyKind): string | undefined {
  if (findProxy(kind) !== undefined) return undefined;
  return `${kind.name} is not installed: apt-get install ${kind.debianPackage}`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
