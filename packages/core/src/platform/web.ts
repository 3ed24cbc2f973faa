import { redactor } from '@sluice/protocol/toolbox';
import { thoroughly } from '../options/thorough.ts';
import { FetchTransport } from '../send/http/fetch-transport.ts';
import type { Queue } from '../send/sender.ts';
import type { TextWriter } from '../wait/contents.ts';
import { allParts } from './all-parts.ts';
import type { Platform } from './platform.ts';

const encoder = new TextEncoder();

const text: TextWriter = {
  write: (string, target, offset) => encoder.encodeInto(string, target.subarray(offset)).written,
  byteLength: (string) => encoder.encode(string).length,
  mostWrittenBytes: 512 * 1024,
  // No request says when it is done with its body.
  createMemory: () => ({ take: (bytes) => new Uint8Array(bytes), give: () => {} }),
};

/** A queue that starts all work at once. p-queue would be a tenth of a bundle. */
function createQueue(): Queue {
  const running = new Set<Promise<void>>();
  return {
    get pending() {
      return running.size;
    },
    add(work) {
      const task = work().finally(() => running.delete(task));
      running.add(task);
      return task;
    },
    async onIdle() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

/** For runtimes with the interfaces of the web that are no pages. Without a journal: events wait in memory. */
export const web: Omit<Platform, 'lifecycle'> = {
  text,
  parts: { ...allParts, checked: thoroughly() },
  holdsUnidentified: true,
  redactor,
  commitIntervalMs: 250,
  // A larger batch would block a slow device, and exceed the time-out on a slow network.
  batchBytes: 128 * 1024,
  createJournal: () => undefined,
  createNote: () => undefined,
  createTransport: ({ delivery }) => new FetchTransport(delivery),
  // A device has few events, and few connections to a host.
  mostRequests: 4,
  createQueue,
  createAbortController: () => new AbortController(),
};
