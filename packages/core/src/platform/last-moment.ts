import { isMainThread } from 'node:worker_threads';

/** Those that end a process unless somebody handles them, and that somebody may want to handle. */
const SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

type Callback = (isFinal: boolean) => void;

/** One listener of the process for all trackers: Node warns of more than ten. */
const callbacks = new Set<Callback>();
let isListening = false;

/**
 * Calls back at the last moment of the process: `process.exit()`, an uncaught exception, nothing left to do, or a signal that
 * nobody else handles, which then ends the process as if nobody had listened. Where the application or another library
 * handles a signal, it alone does. Returns how to stop.
 *
 * @param callback Called with whether this is `exit`: then other listeners may follow, but nothing that takes time.
 */
export function atLastMoment(callback: Callback): () => void {
  if (callbacks.size === 0) start();
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size === 0) stop();
  };
}

function callBack(isFinal: boolean): void {
  for (const callback of callbacks) callback(isFinal);
}

function onExit(): void {
  callBack(true);
}

function start(): void {
  process.on('exit', onExit);
  // Signals reach the main thread alone.
  if (!isMainThread) return;
  isListening = true;
  process.on('newListener', giveWay);
  process.on('removeListener', stepIn);
  for (const signal of SIGNALS) listenAlone(signal);
}

function stop(): void {
  isListening = false;
  process.off('exit', onExit);
  process.off('newListener', giveWay);
  process.off('removeListener', stepIn);
  for (const signal of SIGNALS) process.off(signal, onSignal);
}

function onSignal(signal: NodeJS.Signals): void {
  callBack(false);
  process.off('removeListener', stepIn);
  process.off(signal, onSignal);
  process.on('removeListener', stepIn);
  process.kill(process.pid, signal);
  // The first process of a container outlives signals that it does not handle.
  setImmediate(listenAlone, signal).unref();
}

function listenAlone(signal: NodeJS.Signals): void {
  if (isListening && process.listenerCount(signal) === 0) process.on(signal, onSignal);
}

/** Somebody is about to handle a signal. */
function giveWay(event: string | symbol, listener: unknown): void {
  const signal = SIGNALS.find((signal) => signal === event);
  if (signal === undefined || listener === onSignal) return;
  // Not before they do: without any listener for a moment, Node would stop listening at all.
  process.nextTick(() => {
    if (process.listenerCount(signal) > 1) process.off(signal, onSignal);
  });
}

/** Nobody handles a signal any more; so it was, too, where a handler is only asked once and is asked now. */
function stepIn(event: string | symbol): void {
  const signal = SIGNALS.find((signal) => signal === event);
  if (signal !== undefined) listenAlone(signal);
}
