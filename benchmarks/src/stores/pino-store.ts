import { once } from 'node:events';
import { join } from 'node:path';
import { destination, pino } from 'pino';
import { bareEvent } from '../workload/bare-event.ts';
import type { SampleEvent } from '../workload/sample-event.ts';
import { countLines } from './line-count.ts';
import type { Store } from './store.ts';

/** A log file that is written in the background and never synced. It is often taken for a safe place. */
export class PinoStore implements Store {
  /** It never makes anything safe. */
  readonly commits = 0;
  readonly #path: string;
  readonly #file: ReturnType<typeof destination>;
  readonly #logger: ReturnType<typeof pino>;

  constructor(directory: string) {
    this.#path = join(directory, 'events.log');
    this.#file = destination({ dest: this.#path, sync: false, mkdir: true });
    this.#logger = pino({ base: null, timestamp: false }, this.#file);
  }

  add(event: SampleEvent): void {
    this.#logger.info(bareEvent(event));
  }

  endTurn(): void {}

  async settle(): Promise<void> {
    // flush() calls back while most of the lines still wait.
    const closed = once(this.#file, 'close');
    this.#file.end();
    await closed;
  }

  count(): Promise<number> {
    return countLines(this.#path);
  }

  close(): void {}
}
