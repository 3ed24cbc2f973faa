import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { DevTools, type DevToolsEvent } from './dev-tools.ts';

const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...[
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-breakpad',
  ],
  // Chromium ends when this process ends, because its pipe closes.
  '--remote-debugging-pipe',
];

const CLOSE_MS = 3_000;

/** Chromium as a child process, with a profile that remains after it ends. */
export class BrowserProcess implements AsyncDisposable {
  readonly devTools: DevTools;
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;

  /** @param profile Directory of the profile. Started on the same directory again, Chromium has its stored data. */
  constructor(executable: string, profile: string, onEvent: (event: DevToolsEvent) => void) {
    const child = spawn(executable, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      // Its own process group, so that one signal kills all its processes.
      detached: true,
    });
    this.#child = child;
    this.#closed = once(child, 'close');
    const [, , , toBrowser, fromBrowser] = child.stdio;
    this.devTools = new DevTools(toBrowser as Writable, fromBrowser as Readable, onEvent);
  }

  /** Sends SIGKILL to all its processes at once. Resolves once Chromium has exited and all its messages were read. */
  async kill(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
    await this.#closed;
  }

  /** Asks Chromium to close. Kills it if that takes too long. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.devTools.send('Browser.close').catch(() => undefined);
    const timer = setTimeout(() => this.kill(), CLOSE_MS);
    await this.#closed;
    clearTimeout(timer);
  }
}
