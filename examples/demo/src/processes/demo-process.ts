import { type ChildProcess, fork } from 'node:child_process';
import { on } from 'node:events';

export type Program = 'service' | 'tracking' | 'recovery';

/** A process of the demo. It is told its settings, tells what it does, and can be killed. */
export class DemoProcess<Message extends { readonly type: string }> implements AsyncDisposable {
  readonly #program: Program;
  readonly #child: ChildProcess;
  readonly #messages: AsyncIterator<Message[]>;
  readonly #ended: Promise<unknown>;

  constructor(program: Program, settings: object, signal: AbortSignal) {
    signal.throwIfAborted(); // else the process would be there, and nobody to end it
    this.#program = program;
    // What stands on its standard error is a defect, and is shown; its standard output would spoil the picture.
    this.#child = fork(new URL(`${program}-process.js`, import.meta.url), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#ended = new Promise((resolve) => {
      this.#child.once('exit', resolve);
      this.#child.once('error', () => this.#child.pid === undefined && resolve(undefined));
    });
    // Not `exit`: messages may still be under way then.
    this.#messages = on(this.#child, 'message', { signal, close: ['disconnect'] });
    this.#child.send(settings);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The next thing that it tells. Rejects where it ends instead. */
  async next(): Promise<Message> {
    const { value = [] } = await this.#messages.next();
    const [message] = value;
    if (message !== undefined) return message;
    throw new Error(`The ${this.#program} process ended too early, by ${await this.#ending()}`);
  }

  /** Ends it without its cooperation, as `kill -9` does. Resolves to how it ended, once it is gone. */
  async kill(): Promise<string> {
    this.#child.kill('SIGKILL');
    return this.#ending();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async #ending(): Promise<string> {
    await this.#ended;
    return this.#child.signalCode ?? `exit code ${this.#child.exitCode}`;
  }
}
