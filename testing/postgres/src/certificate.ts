import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { giveTo, type User } from './user.ts';

/** A certificate for 127.0.0.1 that nobody but itself vouches for, as PEM, and the settings of a server that has it. */
export interface Certificate {
  readonly pem: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** Writes a certificate and its key into a folder. Debian installs openssl with PostgreSQL. */
export function createCertificate(directory: string, user: User): Certificate {
  const key = join(directory, 'server.key');
  const file = join(directory, 'server.crt');
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
  ];
  execFileSync('openssl', [...made, ...subject, '-keyout', key, '-out', file], { stdio: 'pipe' });
  // PostgreSQL refuses a key that others can read.
  chmodSync(key, 0o600);
  for (const path of [key, file]) giveTo(user, path);
  return {
    pem: readFileSync(file, 'utf8'),
    settings: { ssl: 'on', ssl_key_file: key, ssl_cert_file: file },
  };
}
