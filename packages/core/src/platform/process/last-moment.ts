import { isMainThread } from 'node:worker_threads';
import { attempt } from '../../base/user-code.ts';

/** Signals that end a process if nobody handles them, and that an application may want to handle. */
const SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/** @param isFinal Whether this is `exit`: other listeners may follow, but nothing asynchronous. */
type Callback = (isFinal: boolean) => void;

/** All copies of this package in one process share it. A later version must not change `add`: an earlier copy may come first. */
interface LastMoments {
  readonly version: 1;
  add(callback: Callback): () => void;
}

/** Deno emits no `exit` after an uncaught exception, nor at `Deno.exit()`. */
const isDeno = 'Deno' in globalThis;

const KEY = Symbol.for('@sluice/core last moment');

/**
 * Calls `callback` at the last moment of the process: at `process.exit()`, after an uncaught exception, when no work is left,
 * or on a signal that nobody else handles. Such a signal then ends the process as usual. If the application or another
 * library handles a signal, `callback` is not called for it. Returns a function that stops this.
 */
export function atLastMoment(callback: Callback): () => void {
  const shared = process as { [KEY]?: LastMoments };
  // Bundlers may copy this package. Two copies that listen separately would send each signal to each other for ever.
  if (shared[KEY] === undefined) Object.defineProperty(process, KEY, { value: new ProcessEnd() });
  return shared[KEY]?.add(callback) ?? (() => {});
}

/** Listens to the end of the process, once for all trackers: Node warns of more than ten listeners. */
class ProcessEnd implements LastMoments {
  readonly version = 1;
  readonly #callbacks = new Set<Callback>();

  add(callback: Callback): () => void {
    this.#callbacks.add(callback);
    if (this.#callbacks.size === 1) this.#start();
    return () => {
      this.#callbacks.delete(callback);
      if (this.#callbacks.size === 0) this.#stop();
    };
  }

  #start(): void {
    // First: a listener before it that throws, or calls `process.exit()`, ends the process at once.
    process.prependListener('exit', this.#onExit);
    if (isDeno) process.on('uncaughtExceptionMonitor', this.#onException);
    if (isDeno) globalThis.addEventListener('unload', this.#onExit);
    // Only the main thread receives signals.
    if (!isMainThread) return;
    process.on('newListener', this.#giveWay);
    process.on('removeListener', this.#stepIn);
    for (const signal of SIGNALS) this.#listenAlone(signal);
  }

  #stop(): void {
    process.off('exit', this.#onExit);
    if (isDeno) process.off('uncaughtExceptionMonitor', this.#onException);
    if (isDeno) globalThis.removeEventListener('unload', this.#onExit);
    process.off('newListener', this.#giveWay);
    process.off('removeListener', this.#stepIn);
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
  }

  #callBack(isFinal: boolean): void {
    for (const callback of this.#callbacks) attempt(() => callback(isFinal), ignore);
  }

  readonly #onExit = (): void => this.#callBack(true);

  /** The application may handle the exception, and go on. */
  readonly #onException = (): void => this.#callBack(false);

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    this.#callBack(false);
    process.off('removeListener', this.#stepIn);
    process.off(signal, this.#onSignal);
    process.on('removeListener', this.#stepIn);
    process.kill(process.pid, signal);
    // The first process of a container survives signals that it does not handle: then listen again.
    setImmediate(() => this.#listenAlone(signal)).unref();
  };

  #listenAlone(signal: NodeJS.Signals): void {
    if (this.#callbacks.size > 0 && process.listenerCount(signal) === 0) process.on(signal, this.#onSignal);
  }

  /** Called when somebody is about to handle a signal: stops listening to it. */
  readonly #giveWay = (event: string | symbol, listener: unknown): void => {
    const signal = SIGNALS.find((signal) => signal === event);
    if (signal === undefined || listener === this.#onSignal) return;
    // Wait until their listener is added: if there were none for a moment, Node would stop listening.
    process.nextTick(() => {
      if (process.listenerCount(signal) > 1) process.off(signal, this.#onSignal);
    });
  };

  /**
   * Called when a listener was removed: listens again if nobody else handles the signal. Node also removes a `once` listener
   * right before it calls it.
   */
  readonly #stepIn = (event: string | symbol): void => {
    const signal = SIGNALS.find((signal) => signal === event);
    if (signal !== undefined) this.#listenAlone(signal);
  };
}

const ignore = (): void => {};
