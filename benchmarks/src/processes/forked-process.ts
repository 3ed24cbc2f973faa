import { type ChildProcess, fork } from 'node:child_process';
import { on, once } from 'node:events';

/** A message between processes, told apart by its type. */
export interface Message {
  readonly type: string;
}

/** How a process is started: with an IPC channel. */
export type Launch = (script: URL, execArgv: readonly string[]) => ChildProcess;

/** A child process of this one that shows what it writes to its standard streams. */
const launchChild: Launch = (script, execArgv) =>
  fork(script, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [...execArgv] });

/** The same, for one that is to fail with a stack trace. */
export const launchQuietly: Launch = (script, execArgv) =>
  fork(script, { stdio: ['ignore', 'inherit', 'ignore', 'ipc'], execArgv: [...execArgv] });

// Whatever ends this process, none of its children stays behind.
const living = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/** A process of our own, which is told its settings and tells what it does. */
export class ForkedProcess<Told extends Message> implements AsyncDisposable {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #messages: AsyncIterator<Told[]>;
  /** Its first message says that it listens: a worker of a cluster misses what is sent before. */
  readonly #listening: Promise<unknown>;
  readonly #closed: Promise<unknown>;

  /** @param script The compiled program. `settings` is the first message that it gets. */
  constructor(script: URL, settings: object, execArgv: readonly string[] = [], launch: Launch = launchChild) {
    this.#name = script.pathname.replace(/^.*\//, '').replace(/\.js$/, '');
    const child = launch(script, execArgv);
    living.add(child);
    // Not `exit`: messages may still be under way then.
    this.#closed = once(child, 'close').finally(() => living.delete(child));
    this.#messages = on(child, 'message', { close: ['close'] });
    this.#listening = this.#messages.next();
    this.#child = child;
    this.tell({ type: 'settings', settings });
  }

  /** Sends a message; one that comes too late, to a process that has ended, is nobody's. */
  tell<Sent extends Message>(message: Sent): void {
    const send = () => {
      if (this.#child.connected) this.#child.send(message, () => undefined);
    };
    this.#listening.then(send, () => undefined);
  }

  /** The next message, or undefined once it has ended and all it told was heard. */
  async next(): Promise<Told | undefined> {
    const { value } = await this.#messages.next();
    return (value as Told[] | undefined)?.[0];
  }

  /** The next message, which must be of this type: what else it has to say is not expected here. */
  async expect<Type extends Told['type']>(type: Type): Promise<Extract<Told, { type: Type }>> {
    const message = await this.next();
    if (message?.type === type) return message as Extract<Told, { type: Type }>;
    const got = message === undefined ? `ended by ${await this.ended()}` : JSON.stringify(message);
    throw new Error(`the ${this.#name} was to tell "${type}", but: ${got}`);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** How it ended, once it has: `exit code 0`, or the name of a signal. */
  async ended(): Promise<string> {
    await this.#closed;
    return this.#child.signalCode ?? `exit code ${this.#child.exitCode}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.signal('SIGKILL');
    await this.ended();
  }
}
