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
  // The browser ends when this process does: then nobody holds the other end of its pipes.
  '--remote-debugging-pipe',
];

const CLOSE_MS = 3_000;

/** Chromium as a plain process with a profile that outlives it. */
export class BrowserProcess implements AsyncDisposable {
  readonly devTools: DevTools;
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;

  /** @param profile The directory of what it keeps: the same one again, and it goes on where it was. */
  constructor(executable: string, profile: string, onEvent: (event: DevToolsEvent) => void) {
    const child = spawn(executable, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      // A group of its own: it is killed with all its processes.
      detached: true,
    });
    this.#child = child;
    this.#closed = once(child, 'close');
    const [, , , toBrowser, fromBrowser] = child.stdio;
    this.devTools = new DevTools(toBrowser as Writable, fromBrowser as Readable, onEvent);
  }

  /** SIGKILL, to all its processes at once. Resolves once it is gone and all that it said was heard. */
  async kill(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
    await this.#closed;
  }

  /** Ends it in good order, or at least ends it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.devTools.send('Browser.close').catch(() => undefined);
    const timer = setTimeout(() => this.kill(), CLOSE_MS);
    await this.#closed;
    clearTimeout(timer);
  }
}
