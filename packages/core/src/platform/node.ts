import diagnosticsChannel from 'node:diagnostics_channel';
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { onAbort, plainHttpWarning, thoroughRedactor, withoutSecrets } from '@sluice/protocol/toolbox';
import PQueue from 'p-queue';
import { MOST_BYTES } from '../keep/budget.ts';
import { FileNote } from '../keep/file/disk/file-note.ts';
import { nodeFileSystem } from '../keep/file/disk/node-file-system.ts';
import { FileJournal } from '../keep/file/file-journal.ts';
import { nodeChecked } from '../options/node-checked.ts';
import { Rest } from '../pace/rest.ts';
import { destination } from '../parts/destination.ts';
import { Compression } from '../parts/gzip/compression.ts';
import { zlibGzip } from '../parts/gzip/zlib-gzip.ts';
import { hooks } from '../parts/hooks.ts';
import { UndiciTransport } from '../send/http/undici-transport.ts';
import type { TextWriter } from '../wait/contents.ts';
import { allParts } from './all-parts.ts';
import type { Platform } from './platform.ts';
import { drainInBackground } from './process/drain-in-background.ts';
import { pathOf } from './process/journal-path.ts';
import { atLastMoment } from './process/last-moment.ts';
import { MemoryPool } from './process/memory-pool.ts';

const text: TextWriter = {
  write: (string, target, offset) => (target as Buffer).write(string, offset),
  byteLength: (string) => Buffer.byteLength(string),
  mostWrittenBytes: 16 * 1024 * 1024,
  createMemory: () => new MemoryPool((bytes) => Buffer.allocUnsafeSlow(bytes)),
};

/** A process is warned once. */
let isWarned = false;

/** Channels that were used before: to look one up costs more than to find that it has no subscribers. */
const channels: Record<string, diagnosticsChannel.Channel> = {};

export const platform: Platform = {
  text,
  lifecycle: { listen: ({ exit }) => atLastMoment(exit) },
  holdsUnidentified: false,
  parts: {
    ...allParts,
    checked: nodeChecked,
    destination: (options, apiKey, onFailed) =>
      withoutSecrets([apiKey], () => destination(options, apiKey, onFailed)),
    hooks: (settings, ...others) => withoutSecrets([settings.apiKey], () => hooks(settings, ...others)),
    gzip: (clock) => new Compression(zlibGzip, clock),
  },
  warnOfKey(baseUrl, { apiKey, delivery, transport }) {
    const isElsewhere = transport !== undefined || delivery?.connect?.socketPath || delivery?.dispatcher;
    if (isWarned || isElsewhere) return;
    const message = plainHttpWarning(baseUrl, apiKey);
    if (message === undefined) return;
    isWarned = true;
    process.emitWarning(message, { type: 'SluiceWarning', code: 'SLUICE_PLAIN_HTTP' });
  },
  redactor: thoroughRedactor,
  commitIntervalMs: 50,
  batchBytes: 512 * 1024,
  createJournal({ settings, clock, maxBytes, part }) {
    return new FileJournal({
      directory: pathOf(settings, part),
      isPart: part !== undefined,
      fsync: settings.fsync ?? 'interval',
      clock,
      maxBytes: maxBytes ?? MOST_BYTES,
    });
  },
  createNote: ({ settings, part }) => new FileNote(join(pathOf(settings, part), 'session')),
  createTransport: ({ delivery, exitBudgetMs }) =>
    new UndiciTransport({ connect: delivery.connect, dispatcher: delivery.dispatcher, exitBudgetMs }),
  createRest(options) {
    const { settings } = options;
    if (settings.journal !== undefined) return undefined;
    const note = new FileNote(join(pathOf(settings), 'unanswered'));
    const read = async () => {
      // Nothing is read before `createTracker` has returned.
      await nodeFileSystem.endOfTurn?.();
      return note.read();
    };
    return new Rest(options, { read, writeSync: (text) => note.writeSync(text) }, atLastMoment);
  },
  // The path of these settings: a copy of them would have another one after `process.chdir()`.
  drainInBackground: (settings, apiKey) => drainInBackground({ ...settings, apiKey }, pathOf(settings)),
  mostRequests: Number.POSITIVE_INFINITY,
  createQueue: (concurrency) => new PQueue({ concurrency }),
  createAbortController() {
    const controller = new AbortController();
    setMaxListeners(0, controller.signal);
    return controller;
  },
  onAbort,
  publish(event, detail) {
    channels[event] ??= diagnosticsChannel.channel(`sluice:${event}`);
    if (channels[event].hasSubscribers) channels[event].publish(detail);
  },
};
