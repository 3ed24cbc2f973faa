import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type BrowserContext, chromium } from 'playwright';

const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...[
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-background-timer-throttling',
  ],
  '--disable-renderer-backgrounding',
  // Chromium cannot reach anything outside this machine.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--remote-debugging-port=0',
  // Chromium ends when this process ends, because its pipe closes.
  '--remote-debugging-pipe',
];
/** Time limit of a call to a page: its main thread may be busy for so long. */
const MOST_BLOCKED_MS = 60_000;
const LISTENING = /^DevTools listening on (ws:\S+)$/;

/** A Chromium whose profile remains after it ends. Its processes form a group, so that one signal kills all of them. */
export class ChromiumProcess implements AsyncDisposable {
  /** The context in which pages are opened. */
  readonly context: BrowserContext;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(child: ChildProcess, ended: Promise<unknown>, context: BrowserContext) {
    this.#child = child;
    this.#ended = ended;
    this.context = context;
  }

  /** @param profile A directory. Empty for a new profile. */
  static async start(executable: string, profile: string): Promise<ChromiumProcess> {
    const child = spawn(executable, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const ended = once(child, 'exit');
    const browser = await chromium.connectOverCDP(await devToolsUrl(child));
    const context = browser.contexts()[0];
    if (context === undefined) throw new Error('Chromium has no context to open pages in');
    context.setDefaultTimeout(MOST_BLOCKED_MS);
    return new ChromiumProcess(child, ended, context);
  }

  /** Sends SIGKILL to all its processes. Resolves once Chromium has exited. */
  async kill(): Promise<void> {
    killGroup(this.#child);
    await this.#ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}

async function devToolsUrl({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error('Chromium was started without a pipe');
  const lines = createInterface(stderr);
  const said: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      const [, found] = LISTENING.exec(line) ?? [];
      if (found === undefined) said.push(line);
      else resolve(found);
    });
    lines.once('close', () =>
      reject(new Error(`Chromium ended before it could be driven:\n${said.join('\n')}`)),
    );
  });
  lines.removeAllListeners('close');
  return url;
}

function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
