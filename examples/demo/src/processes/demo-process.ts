import { type ChildProcess, fork } from 'node:child_process';

export type Program = 'service' | 'tracking' | 'recovery';

/** A process of the demo. It is told its settings, tells what it does, and can be killed. */
export class DemoProcess<Message extends { readonly type: string }> implements AsyncDisposable {
  readonly #program: Program;
  readonly #signal: AbortSignal;
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #told: Message[] = [];
  #wake = (): void => {};

  constructor(program: Program, settings: object, signal: AbortSignal) {
    signal.throwIfAborted(); // else the process would be there, and nobody to end it
    this.#program = program;
    this.#signal = signal;
    // What stands on its standard error is a defect, and is shown; its standard output would spoil the picture.
    const child = fork(new URL(`${program}-process.js`, import.meta.url), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once('exit', () => resolve());
      child.on('error', () => child.pid === undefined && resolve());
    });
    child.on('message', (message) => this.#hear(message as Message));
    // Not `exit`: messages may still be under way then.
    child.once('disconnect', () => this.#wake());
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    child.send(settings);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The next thing that it tells. Rejects where it ends instead. */
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

  /** Ends it without its cooperation, as `kill -9` does. Resolves to how it ended, once it is gone. */
  async kill(): Promise<string> {
    this.#child.kill('SIGKILL');
    return this.#ending();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  /** Of two of one type in a row, only the newer still matters: what is shown shall not lag behind. */
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
