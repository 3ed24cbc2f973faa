import { Worker } from 'node:worker_threads';
import { isDamage } from '../storage/damage.ts';
import type { Extent } from './indexer.ts';
import { ended, type Questions, type Search } from './search.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

const PAUSE_MS = 50;
const CLOSE_MS = 10_000;

/** What a {@link ThreadSearch} reports. */
export interface ThreadEvents {
  /** Uuids up to this id are in the index. */
  merged(through: number): void;
  /** Indexing failed for now. */
  trouble(reason: string): void;
  /** The index must be built anew; this search is no longer usable. */
  damaged(reason: string): void;
}

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Whether this code can start a thread: only built JavaScript can. */
export const HAS_THREADS: boolean = !import.meta.url.endsWith('.ts');

/** Searches and indexes on its own thread. The thread starts with the first question, or 50 ms after this object is created. */
export class ThreadSearch implements Search {
  readonly #directory: string;
  readonly #extent: () => Extent;
  readonly #events: ThreadEvents;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #asked = 0;
  #indexed = 0;
  #merged = 0;
  #isClosed = false;

  /** `indexed`: the id up to which the index in the directory is complete. */
  constructor(directory: string, indexed: number, extent: () => Extent, events: ThreadEvents) {
    this.#directory = directory;
    this.#indexed = indexed;
    this.#extent = extent;
    this.#events = events;
    this.changed();
  }

  get indexed(): number {
    return this.#indexed;
  }

  changed(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#tell({ type: 'changed', extent: this.#extent() });
    }, PAUSE_MS);
    this.#timer.unref();
  }

  ask<K extends keyof Questions>(kind: K, given: Questions[K]['given']): Promise<Questions[K]['answer']> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(ended());
      this.#asked += 1;
      const id = this.#asked;
      this.#waiting.set(id, { resolve, reject });
      this.#tell({ type: 'ask', id, kind, given, extent: this.#extent() });
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#giveUp();
    const worker = this.#worker;
    if (worker === undefined) return;
    const exited = new Promise((resolve) => worker.once('exit', resolve));
    worker.ref();
    worker.postMessage({ type: 'close' } satisfies ToWorker);
    const timer = setTimeout(() => worker.terminate(), CLOSE_MS);
    await exited;
    clearTimeout(timer);
  }

  #tell(message: ToWorker): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(message);
  }

  #start(): Worker {
    // The thread must not write to standard output, which is reserved for one line of JSON.
    const worker = new Worker(new URL('./search-worker.js', import.meta.url), {
      workerData: this.#directory,
      stdout: true,
    });
    worker.unref();
    worker.on('message', (message: FromWorker) => this.#hear(message));
    worker.on('error', (error) => this.#fail(error));
    worker.on('exit', () => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#giveUp();
    });
    return worker;
  }

  #hear(message: FromWorker): void {
    // After close(), messages may still arrive. They are about an index that may have been replaced.
    if (this.#isClosed) return;
    switch (message.type) {
      case 'progress':
        this.#indexed = message.indexed;
        if (message.merged > this.#merged) this.#events.merged(message.merged);
        this.#merged = message.merged;
        return;
      case 'answer':
        this.#waiting.get(message.id)?.resolve(message.answer as never);
        this.#waiting.delete(message.id);
        return;
      case 'failed':
        this.#waiting.get(message.id)?.reject(new Error(`The search failed: ${message.reason}`));
        this.#waiting.delete(message.id);
        return;
      default:
        this.#events[message.type](message.reason);
    }
  }

  #fail(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    if (this.#isClosed) return;
    if (isDamage(error)) this.#events.damaged(reason);
    else this.#events.trouble(reason);
  }

  #giveUp(): void {
    for (const { reject } of this.#waiting.values()) reject(ended());
    this.#waiting.clear();
  }
}
