import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { findProgram } from '@sluice/test-servers';
import {
  CONFIGURATION,
  GENERATION_PATH,
  type Place,
  type ProxyKind,
  type ProxyRules,
  whyNoProxy,
} from './proxy-kind.ts';

/** How often to try: another process may take the free port before the proxy opens it. */
const STARTS = 3;
/** Only a proxy that hangs takes so long. */
const START_MS = 60_000;
const STOP_MS = 5_000;
const RELOAD_AGAIN_MS = 500;
const ANSWER_MS = 1_000;

type Setup = Pick<Place, 'directory' | 'upstreamPort'>;

/** Ends a proxy, whose pid is `$0`, once the process at the other end of standard input is gone. */
const WATCHER = 'read -r _; kill "$0"';

/** A proxy on loopback, with all its files in a directory of the caller. It ends with the process that started it. */
export class ProxyServer implements AsyncDisposable {
  readonly baseUrl: string;
  readonly #kind: ProxyKind;
  readonly #setup: Omit<Place, 'generation'>;
  readonly #process: ChildProcess;
  readonly #watcher: ChildProcess;
  #said = '';
  #generation = 0;
  #reloading: Promise<void> | undefined;

  private constructor(kind: ProxyKind, setup: Omit<Place, 'generation'>, path: string) {
    this.#kind = kind;
    this.#setup = setup;
    this.baseUrl = `http://127.0.0.1:${setup.port}`;
    this.#process = spawn(path, kind.arguments(setup.directory), { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.on('data', (said) => {
        this.#said += said;
      });
    }
    const watched = String(this.#process.pid);
    this.#watcher = spawn('/bin/sh', ['-c', WATCHER, watched], { stdio: ['pipe', 'ignore', 'ignore'] });
  }

  /** Rejects with the proxy's output if it does not start. */
  static async start(kind: ProxyKind, setup: Setup, rules: ProxyRules): Promise<ProxyServer> {
    const path = findProgram(kind.name);
    if (path === undefined) throw new Error(whyNoProxy(kind));
    mkdirSync(setup.directory, { recursive: true });
    for (let start = 1; ; start += 1) {
      const place = { ...setup, port: await freePort(), generation: 0 };
      writeConfiguration(kind, place, rules);
      const server = new ProxyServer(kind, place, path);
      if (await server.#serves()) return server;
      await server[Symbol.asyncDispose]();
      if (start === STARTS) throw new Error(`${kind.name} does not start: ${server.#said}`);
    }
  }

  /** Makes it apply new rules, or the same ones again, without a stop. Resolves once it does. A second call joins the first. */
  reload(rules: ProxyRules): Promise<void> {
    this.#reloading ??= this.#reload(rules).finally(() => {
      this.#reloading = undefined;
    });
    return this.#reloading;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watcher.kill();
    if (!this.#isRunning) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(timer);
  }

  get #isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  async #reload(rules: ProxyRules): Promise<void> {
    this.#generation += 1;
    writeConfiguration(this.#kind, { ...this.#setup, generation: this.#generation }, rules);
    // A signal that comes while the previous reload still ends may be lost. So it is repeated.
    const signal = () => this.#process.kill(this.#kind.reloadSignal);
    const again = setInterval(signal, RELOAD_AGAIN_MS);
    signal();
    const isServing = await this.#serves();
    clearInterval(again);
    if (!isServing) throw new Error(`${this.#kind.name} does not reload: ${this.#said}`);
  }

  /** Whether it starts to apply the latest configuration, within a time limit. */
  async #serves(): Promise<boolean> {
    for (const end = Date.now() + START_MS; this.#isRunning && Date.now() < end; await pause(5)) {
      if ((await textAt(this.baseUrl + GENERATION_PATH)) === String(this.#generation)) return true;
    }
    return false;
  }
}

function writeConfiguration(kind: ProxyKind, place: Place, rules: ProxyRules): void {
  writeFileSync(join(place.directory, CONFIGURATION), kind.configuration(place, rules));
}

/** The text of the answer to a request over a new connection; undefined if there is none. */
async function textAt(url: string): Promise<string | undefined> {
  try {
    const [answer] = await once(
      get(url, { agent: false, signal: AbortSignal.timeout(ANSWER_MS) }),
      'response',
    );
    return await text(answer);
  } catch {
    return undefined;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
