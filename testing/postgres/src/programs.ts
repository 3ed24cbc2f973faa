import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Debian has the programs of each version of PostgreSQL. */
const DEBIAN = '/usr/lib/postgresql';
/** Debian installs servers in folders that are not in the PATH of every user. */
const SERVER_PLACES = ['/usr/sbin', '/usr/local/sbin', '/sbin'];

/** Why no PostgreSQL can be started here; undefined if one can. Give it to `describe.skipIf`. */
export function whyNoPostgres(): string | undefined {
  return findProgram('initdb') ? undefined : 'PostgreSQL is not installed: apt-get install postgresql';
}

/** Why no PgBouncer can be started here; undefined if one can. */
export function whyNoPgBouncer(): string | undefined {
  return findProgram('pgbouncer') ? undefined : 'PgBouncer is not installed: apt-get install pgbouncer';
}

/** The path of a program. Throws if it is not installed. */
export function programPath(name: string): string {
  const path = findProgram(name);
  if (path === undefined) throw new Error(`${name} is not installed`);
  return path;
}

/** The newest version of a program that Debian has, else the one in the PATH. */
export function findProgram(name: string): string | undefined {
  const path = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return [...debianPlaces(), ...path, ...SERVER_PLACES].map((place) => join(place, name)).find(isExecutable);
}

function debianPlaces(): string[] {
  try {
    const versions = readdirSync(DEBIAN).sort((one, other) => Number(other) - Number(one));
    return versions.map((version) => join(DEBIAN, version, 'bin'));
  } catch {
    return [];
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
