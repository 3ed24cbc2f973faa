import { Worker } from 'node:worker_threads';
import { isDamage } from '../storage/damage.ts';
import type { Extent } from './indexer.ts';
import { ended, type Questions, type Search } from './search.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

const PAUSE_MS = 50;
const CLOSE_MS = 10_000;

/** What a {@link ThreadSearch} tells. */
export interface ThreadEvents {
  /** Up to this id, uuids are in the index. */
  merged(through: number): void;
  /** Indexing failed for now. */
  trouble(reason: string): void;
  /** The index must be made anew; this search is of no more use. */
  damaged(reason: string): void;
}

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Whether this code can start a thread: it can as built JavaScript. */
export const HAS_THREADS: boolean = !import.meta.url.endsWith('.ts');

/** Searches and indexes on a thread of its own, which starts when there is something to do. */
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

  /** `indexed`: how far the index in the directory goes already. */
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
    // The thread may not write to standard output, which is for one line of JSON.
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
    // What is still under way once it is closed is about an index that may be another one by now.
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
