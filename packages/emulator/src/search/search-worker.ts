// The thread that searches and indexes what the main thread stores.
import { parentPort, workerData } from 'node:worker_threads';
import { isDamage } from '../storage/damage.ts';
import { reopenDatabase } from '../storage/database.ts';
import { Checkpoints } from './checkpoints.ts';
import { reopenIndex } from './index-database.ts';
import type { Extent } from './indexer.ts';
import { SearchEngine } from './search-engine.ts';
import { finish } from './work.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

const AT_ONCE = 2_000;
const QUIET_MS = 500;
const RETRY_MS = 5_000;

if (parentPort !== null) run(parentPort, String(workerData));

function run(port: NonNullable<typeof parentPort>, directory: string): void {
  const tell = (message: FromWorker) => port.postMessage(message);
  const database = reopenDatabase(directory);
  const index = reopenIndex(directory, database);
  const engine = new SearchEngine(database, index, true, AT_ONCE);
  const checkpoints = new Checkpoints(database);
  let extent: Extent = { oldest: 1, newest: 0 };
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;

  const later = (ms: number, isQuiet: boolean) => {
    clearTimeout(timer);
    timer = setTimeout(work, ms, isQuiet);
  };
  const soon = () => {
    clearTimeout(timer);
    immediate ??= setImmediate(work, false);
  };
  // Between two pieces of work, messages are handled.
  function work(isQuiet: boolean): void {
    immediate = undefined;
    try {
      const isMore = engine.step(extent, isQuiet);
      checkpoints.step(extent.newest, isQuiet);
      tell({ type: 'progress', indexed: engine.indexed, merged: engine.merged });
      if (isMore) soon();
      else if (!isQuiet) later(QUIET_MS, true);
    } catch (error) {
      const reason = reasonOf(error);
      tell({ type: isDamage(error) ? 'damaged' : 'trouble', reason });
      if (!isDamage(error)) later(RETRY_MS, false);
    }
  }
  port.on('message', (message: ToWorker) => {
    if (message.type === 'close') {
      clearTimeout(timer);
      clearImmediate(immediate);
      port.close();
      index.close();
      database.close();
      return;
    }
    extent = message.extent;
    soon();
    if (message.type === 'changed') return;
    const { id, kind, given } = message;
    try {
      tell({ type: 'answer', id, answer: finish(engine.ask(kind, given, extent)) });
    } catch (error) {
      tell({ type: 'failed', id, reason: reasonOf(error) });
      if (isDamage(error)) tell({ type: 'damaged', reason: reasonOf(error) });
    }
  });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
