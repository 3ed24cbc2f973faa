import { type ChildProcess, fork } from 'node:child_process';

export type Program = 'service' | 'tracking' | 'recovery';

/** A process of the demo. It receives its settings, sends messages about its progress, and can be killed. */
export class DemoProcess<Message extends { readonly type: string }> implements AsyncDisposable {
  readonly #program: Program;
  readonly #signal: AbortSignal;
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #told: Message[] = [];
  #wake = (): void => {};

  constructor(program: Program, settings: object, signal: AbortSignal) {
    signal.throwIfAborted(); // otherwise the process would start, and nobody would end it
    this.#program = program;
    this.#signal = signal;
    // Text on its standard error means a defect, so it is shown. Its standard output is ignored: it would mix with the demo's.
    const child = fork(new URL(`${program}-process.js`, import.meta.url), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once('exit', () => resolve());
      child.on('error', () => child.pid === undefined && resolve());
    });
    child.on('message', (message) => this.#hear(message as Message));
    // Not `exit`: messages may still arrive after it.
    child.once('disconnect', () => this.#wake());
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    child.send(settings);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves to the next message. Rejects if the process ends first, or if the signal aborts. */
  async next(): Promise<Message> {
    for (;;) {
      this.#signal.throwIfAborted();
      const message = this.#told.shift();
      if (message !== undefined) return message;
      if (!this.#child.connected) {
        throw new Error(`The ${this.#program} process ended too early, by ${await this.#ending()}`);
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Kills the process with SIGKILL, as `kill -9` does. Once it has ended, resolves to the signal or the exit code. */
  async kill(): Promise<string> {
    this.#child.kill('SIGKILL');
    return this.#ending();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  /** If the last unread message has the same type, the new one replaces it: the demo must not show old numbers. */
  #hear(message: Message): void {
    if (this.#told.at(-1)?.type === message.type) this.#told.pop();
    this.#told.push(message);
    this.#wake();
  }

  async #ending(): Promise<string> {
    await this.#ended;
    return this.#child.signalCode ?? `exit code ${this.#child.exitCode}`;
  }
}
