import { isMainThread } from 'node:worker_threads';
import { attempt } from '../base/user-code.ts';

/** The signals that end a process unless somebody handles them, and that an application may want to handle. */
const SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/** @param isFinal Whether this is `exit`: other listeners may follow, but nothing that takes time. */
type Callback = (isFinal: boolean) => void;

/** What all copies of this package in one process share. A later version keeps `add` as it is: an earlier copy may have come first. */
interface LastMoments {
  readonly version: 1;
  add(callback: Callback): () => void;
}

const KEY = Symbol.for('@sluice/core last moment');

/**
 * Calls back at the last moment of the process: `process.exit()`, an uncaught exception, nothing left to do, or a signal that
 * nobody else handles, which then ends the process as if nobody had listened. Where the application or another library
 * handles a signal, it alone does. Returns how to stop.
 */
export function atLastMoment(callback: Callback): () => void {
  const shared = process as { [KEY]?: LastMoments };
  // Bundlers make copies of this package. Two that listen by themselves would send each signal to each other for ever.
  if (shared[KEY] === undefined) Object.defineProperty(process, KEY, { value: new ProcessEnd() });
  return shared[KEY]?.add(callback) ?? (() => {});
}

/** Listens to the end of the process: once for all trackers, as Node warns of more than ten listeners. */
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
    process.on('exit', this.#onExit);
    // Signals reach the main thread alone.
    if (!isMainThread) return;
    process.on('newListener', this.#giveWay);
    process.on('removeListener', this.#stepIn);
    for (const signal of SIGNALS) this.#listenAlone(signal);
  }

  #stop(): void {
    process.off('exit', this.#onExit);
    process.off('newListener', this.#giveWay);
    process.off('removeListener', this.#stepIn);
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
  }

  #callBack(isFinal: boolean): void {
    for (const callback of this.#callbacks) attempt(() => callback(isFinal), ignore);
  }

  readonly #onExit = (): void => this.#callBack(true);

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    this.#callBack(false);
    process.off('removeListener', this.#stepIn);
    process.off(signal, this.#onSignal);
    process.on('removeListener', this.#stepIn);
    process.kill(process.pid, signal);
    // The first process of a container outlives signals that it does not handle.
    setImmediate(() => this.#listenAlone(signal)).unref();
  };

  #listenAlone(signal: NodeJS.Signals): void {
    if (this.#callbacks.size > 0 && process.listenerCount(signal) === 0) process.on(signal, this.#onSignal);
  }

  /** Somebody is about to handle a signal. */
  readonly #giveWay = (event: string | symbol, listener: unknown): void => {
    const signal = SIGNALS.find((signal) => signal === event);
    if (signal === undefined || listener === this.#onSignal) return;
    // Not before they do: without any listener for a moment, Node would stop listening at all.
    process.nextTick(() => {
      if (process.listenerCount(signal) > 1) process.off(signal, this.#onSignal);
    });
  };

  /** Nobody handles a signal any more; so it was, too, where a handler is only asked once and is asked now. */
  readonly #stepIn = (event: string | symbol): void => {
    const signal = SIGNALS.find((signal) => signal === event);
    if (signal !== undefined) this.#listenAlone(signal);
  };
}

const ignore = (): void => {};
