import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { programPath } from './programs.ts';
import type { User } from './user.ts';

/** So that the texts to wait for are English. */
const ENV = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
/** The last characters of the log, for errors. */
const LOG_CHARACTERS = 4_000;

/** Runs a program to its end. Rejects with what it printed if it fails. */
export async function run(name: string, args: readonly string[], user: User): Promise<string> {
  // `cwd`: the user may not be allowed to read the folder of this process.
  const { stdout } = await promisify(execFile)(programPath(name), args, { ...user, env: ENV, cwd: '/' });
  return stdout;
}

/** A server as a child process. It ends with this process. */
export class Program {
  readonly #name: string;
  readonly #args: readonly string[];
  readonly #user: User;
  /** It logs this once it can be used. */
  readonly #ready: string;
  #child: ChildProcess | undefined;
  #log = '';
  readonly #onExit = () => void this.#child?.kill('SIGKILL');

  constructor(name: string, args: readonly string[], user: User, ready: string) {
    this.#name = name;
    this.#args = args;
    this.#user = user;
    this.#ready = ready;
  }

  /** Resolves once it can be used. Rejects with the end of its log if it ends before. */
  async start(): Promise<void> {
    const child = spawn(programPath(this.#name), this.#args, {
      ...this.#user,
      env: ENV,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    this.#log = '';
    process.once('exit', this.#onExit);
    child.once('exit', () => process.removeListener('exit', this.#onExit));
    await new Promise<void>((resolve, reject) => {
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        this.#log = (this.#log + text).slice(-LOG_CHARACTERS);
        if (this.#log.includes(this.#ready)) resolve();
      });
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`${this.#name} ended:\n${this.#log}`)));
    });
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Sends a signal that ends it, and waits for its end. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
}
