import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { SignJWT } from 'jose';
import { onTestFinished } from 'vitest';
import { type Answered, post, SECRET } from './site.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const UNLIMITED = { ticketEventsPerMinute: 2 ** 31, addressEventsPerMinute: 2 ** 31 };

type Variables = Readonly<Record<string, string>>;

/** The environment of a relay that takes JWTs signed with SECRET. */
export function variablesOf(baseUrl: string, apiKey: string, directory: string): Variables {
  return {
    SLUICE_BASE_URL: baseUrl,
    SLUICE_API_KEY: apiKey,
    SLUICE_CORRELATION_KEY: 'email',
    SLUICE_RELAY_SECRET: `${SECRET}, ${SECRET} of last year`,
    SLUICE_RELAY_JWT: JSON.stringify({ algorithm: 'HS256', audience: 'relay', keys: { now: SECRET } }),
    SLUICE_RELAY_LIMITS: JSON.stringify(UNLIMITED),
    SLUICE_RELAY_DIRECTORY: directory,
  };
}

/** The standalone relay, as it is installed: a process. */
export class RelayProcess {
  readonly child: ChildProcess;
  output = '';
  /** Where pages send to. */
  url = '';

  private constructor(variables: Variables) {
    const { PATH = '' } = process.env;
    const env = { PATH, ...variables };
    this.child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (chunk) => {
        this.output += chunk;
      });
    }
    onTestFinished(() => void this.child.kill('SIGKILL'));
  }

  /** Resolves once it listens, or has ended. */
  static async start(variables: Variables): Promise<RelayProcess> {
    const started = new RelayProcess(variables);
    const ended = once(started.child, 'close');
    while (!started.output.includes('\n') && started.child.exitCode === null) {
      await Promise.race([once(started.child.stdout ?? started.child, 'data'), ended]);
    }
    started.url = /"url":"([^"]+)"/.exec(started.output)?.[1] ?? '';
    return started;
  }

  /** Resolves to its exit code, or the signal that ended it. */
  async end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
    const closed = once(this.child, 'close');
    this.child.kill(signal);
    await closed;
    return this.child.exitCode ?? this.child.signalCode;
  }

  send(body: object, path = ''): Promise<Answered> {
    const headers = { 'content-type': 'application/json', origin: new URL(this.url).origin };
    return post(this.url + path, JSON.stringify(body), headers);
  }

  async ticket(customer: string): Promise<string> {
    const { body } = await this.send({ jwt: await jwtOf(customer) });
    return String(body.ticket);
  }
}

function jwtOf(customer: string): Promise<string> {
  const claims = { sub: customer, aud: 'relay', exp: Math.floor(Date.now() / 1_000) + 600 };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', kid: 'now' })
    .sign(new TextEncoder().encode(SECRET));
}
