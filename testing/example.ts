/** Starts the programs of `examples/` as their users do: in processes of their own, with the built packages. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Emulator, startEmulator } from '@sluice/emulator';
import { onTestFinished } from 'vitest';

/** `npm run check` sets this: there, the examples have the packed packages. */
const { SLUICE_EXAMPLES = resolve(import.meta.dirname, '..', 'examples') } = process.env;

/** An example, with a service and a home directory of its own. */
export class Example {
  readonly folder: string;
  readonly emulator: Emulator;
  /** A directory that is empty at the start, and is deleted with what the program leaves in it. */
  readonly home: string = mkdtempSync(join(tmpdir(), 'sluice-example-'));

  static async open(name: string): Promise<Example> {
    const emulator = await startEmulator({ primaryKey: 'email', customers: [{ email: 'ada@example.com' }] });
    const example = new Example(join(SLUICE_EXAMPLES, name), emulator);
    onTestFinished(async () => {
      await emulator.close();
      rmSync(example.home, { recursive: true, force: true });
    });
    return example;
  }

  private constructor(folder: string, emulator: Emulator) {
    this.folder = folder;
    this.emulator = emulator;
  }

  /** Starts Node with these arguments. The program gets its settings from the environment. */
  start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Program {
    const { baseUrl: SLUICE_URL, apiKey: SLUICE_API_KEY } = this.emulator;
    const own = { SLUICE_URL, SLUICE_API_KEY, HOME: this.home, XDG_STATE_HOME: this.home, NO_COLOR: '1' };
    const child = spawn(process.execPath, args, {
      cwd: this.folder,
      env: { ...process.env, NODE_ENV: undefined, PORT: '0', ...own, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return new Program(child);
  }

  /** The path of a program that a dependency of the example has. */
  bin(dependency: string, path: string): string {
    const { resolve } = createRequire(join(this.folder, 'package.json'));
    return join(dirname(resolve(`${dependency}/package.json`)), path);
  }

  /** What the service has, in the order of arrival: `customer name {payload}`. */
  async arrived(): Promise<string[]> {
    const events = await this.emulator.events();
    return events.map(
      ({ event }) => `${event.correlationValue} ${event.event} ${JSON.stringify(event.payload)}`,
    );
  }
}

/** A program that runs. */
export class Program {
  readonly child: ChildProcess;
  readonly exit: Promise<unknown[]>;
  readonly #errors: Promise<string>;
  #output = '';
  #wake: () => void = () => {};

  constructor(child: ChildProcess) {
    this.child = child;
    this.exit = once(child, 'exit');
    this.#errors = child.stderr ? text(child.stderr) : Promise.resolve('');
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#output += chunk;
      this.#wake();
    });
    child.stdout?.once('end', () => this.#wake());
  }

  /** Resolves with the first match in what the program printed. Rejects if the program ends without it. */
  async prints(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#output);
      if (found) return found;
      if (this.child.stdout?.readableEnded) break;
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
    throw new Error(`${pattern} was not printed: ${this.#output}${await this.#errors}`);
  }

  /** The address of a server that prints its port. */
  async url(): Promise<string> {
    const [, port] = await this.prints(/(?:port: |http:\/\/[^:]+:)(\d+)\D/);
    return `http://127.0.0.1:${port}`;
  }

  /** Ends it with a signal, or waits until it ends by itself. Resolves with its exit code, or the signal. */
  async end(signal?: NodeJS.Signals): Promise<unknown> {
    if (signal) this.child.kill(signal);
    const [code, by] = await this.exit;
    return code ?? by;
  }
}
