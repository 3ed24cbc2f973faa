import { type ChildProcess, fork } from 'node:child_process';
import { on, once } from 'node:events';

/** A message between processes. Its type identifies it. */
export interface Message {
  readonly type: string;
}

/** Starts a process with an IPC channel. */
export type Launch = (script: URL, execArgv: readonly string[]) => ChildProcess;

/** Starts a child process that writes to the standard streams of this one. */
const launchChild: Launch = (script, execArgv) =>
  fork(script, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [...execArgv] });

/** The same without standard error, for a process that must fail with a stack trace. */
export const launchQuietly: Launch = (script, execArgv) =>
  fork(script, { stdio: ['ignore', 'inherit', 'ignore', 'ipc'], execArgv: [...execArgv] });

// When this process exits, no child stays behind.
const living = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/** A child process. It receives its settings, and reports what it does in messages. */
export class ForkedProcess<Told extends Message> implements AsyncDisposable {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #messages: AsyncIterator<Told[]>;
  /** The child's first message: it listens now. A worker of a cluster misses messages that are sent before. */
  readonly #listening: Promise<unknown>;
  readonly #closed: Promise<unknown>;

  /** @param script The compiled program. `settings` is the first message that it receives. */
  constructor(script: URL, settings: object, execArgv: readonly string[] = [], launch: Launch = launchChild) {
    this.#name = script.pathname.replace(/^.*\//, '').replace(/\.js$/, '');
    const child = launch(script, execArgv);
    living.add(child);
    // Not `exit`: messages may still arrive after it.
    this.#closed = once(child, 'close').finally(() => living.delete(child));
    this.#messages = on(child, 'message', { close: ['close'] });
    this.#listening = this.#messages.next();
    this.#child = child;
    this.tell({ type: 'settings', settings });
  }

  /** Sends a message. A message to a process that has ended is dropped. */
  tell<Sent extends Message>(message: Sent): void {
    const send = () => {
      if (this.#child.connected) this.#child.send(message, () => undefined);
    };
    this.#listening.then(send, () => undefined);
  }

  /** The next message; undefined once the process has ended and all its messages were read. */
  async next(): Promise<Told | undefined> {
    const { value } = await this.#messages.next();
    return (value as Told[] | undefined)?.[0];
  }

  /** Passes on all messages that come from now on. Resolves once the process has ended and all of them were read. */
  async hear(listener: (told: Told) => void): Promise<void> {
    for (let told = await this.next(); told !== undefined; told = await this.next()) listener(told);
  }

  /** The next message, which must have this type. Throws for anything else. */
  async expect<Type extends Told['type']>(type: Type): Promise<Extract<Told, { type: Type }>> {
    const message = await this.next();
    if (message?.type === type) return message as Extract<Told, { type: Type }>;
    const got = message === undefined ? `ended by ${await this.ended()}` : JSON.stringify(message);
    throw new Error(`the ${this.#name} was to tell "${type}", but: ${got}`);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Resolves once it has ended, to `exit code 0` or the name of a signal. */
  async ended(): Promise<string> {
    await this.#closed;
    return this.#child.signalCode ?? `exit code ${this.#child.exitCode}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.signal('SIGKILL');
    await this.ended();
  }
}
