import { execFileSync } from 'node:child_process';
import { chownSync } from 'node:fs';

/** Whoever runs the servers: PostgreSQL refuses to run as root. Empty unless this process is root. */
export interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** The user of Debian's package, else nobody. */
const NAMES = ['postgres', 'nobody'];

/** The user for the servers of this process. */
export function serverUser(): User {
  if (process.getuid?.() !== 0) return {};
  for (const name of NAMES) {
    const uid = idOf('-u', name);
    const gid = idOf('-g', name);
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new Error(`no user ${NAMES.join(' or ')}, and PostgreSQL refuses to run as root`);
}

/** Gives a file or folder to the user. */
export function giveTo({ uid, gid }: User, path: string): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

function idOf(kind: '-u' | '-g', name: string): number | undefined {
  try {
    return Number(execFileSync('id', [kind, name], { encoding: 'utf8', stdio: 'pipe' }));
  } catch {
    return undefined;
  }
}
