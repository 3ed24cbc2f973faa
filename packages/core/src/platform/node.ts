import { createHash } from 'node:crypto';
import diagnosticsChannel from 'node:diagnostics_channel';
import { setMaxListeners } from 'node:events';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import PQueue from 'p-queue';
import { FileNote } from '../keep/file/disk/file-note.ts';
import { errorCode } from '../keep/file/disk/file-system.ts';
import { FileJournal } from '../keep/file/file-journal.ts';
import type { Lifecycle } from '../keep/lifecycle.ts';
import { nodeChecked } from '../options/node-checked.ts';
import { AdaptiveConcurrency } from '../pace/adaptive-concurrency.ts';
import { Compression } from '../parts/gzip/compression.ts';
import { zlibGzip } from '../parts/gzip/zlib-gzip.ts';
import { UndiciTransport } from '../send/http/undici-transport.ts';
import type { TrackerEvents } from '../tell/tracker-events.ts';
import type { TextWriter } from '../wait/contents.ts';
import { onAbort } from './abort-listeners.ts';
import { allParts } from './all-parts.ts';
import { atLastMoment } from './last-moment.ts';
import { MemoryPool } from './memory-pool.ts';
import type { JournalPlace, Platform } from './platform.ts';
import { writeSync } from './write-sync.ts';

const allocate = (bytes: number): Buffer => Buffer.allocUnsafeSlow(bytes);

const text: TextWriter = {
  allocate,
  write: (string, target, offset) => (target as Buffer).write(string, offset),
  byteLength: (string) => Buffer.byteLength(string),
  mostWrittenBytes: 16 * 1024 * 1024,
  createMemory: () => new MemoryPool(allocate),
};

const lifecycle: Lifecycle = {
  listen: ({ exit }) => atLastMoment(exit),
};

/** Channels that were used before: to look one up costs more than to find that it has no subscribers. */
const channels: Partial<Record<keyof TrackerEvents, diagnosticsChannel.Channel>> = {};

export const platform: Platform = {
  text,
  lifecycle,
  holdsUnidentified: false,
  parts: {
    ...allParts,
    checked: nodeChecked,
    gzip: (clock) => new Compression(zlibGzip, clock),
  },
  commitIntervalMs: 50,
  createJournal(place) {
    const { fsync = 'interval', clock, maxBytes, part } = place;
    return new FileJournal({
      directory: pathOf(place),
      mayBeLink: part === undefined,
      fsync,
      clock,
      maxBytes,
    });
  },
  exists: (place) =>
    access(pathOf(place)).then(
      () => true,
      (error) => errorCode(error) !== 'ENOENT',
    ),
  createNote: (place) => new FileNote(join(pathOf(place), 'session')),
  createTransport: (delivery) => new UndiciTransport(delivery),
  createConcurrency: (most) => new AdaptiveConcurrency(most),
  createQueue: (concurrency) => new PQueue({ concurrency }),
  createAbortController() {
    const controller = new AbortController();
    setMaxListeners(0, controller.signal);
    return controller;
  },
  onAbort,
  writeNow: writeSync,
  publish(event, detail) {
    channels[event] ??= diagnosticsChannel.channel(`sluice:${event}`);
    if (channels[event].hasSubscribers) channels[event].publish(detail);
  },
};

function pathOf({ account, directory, part = '' }: JournalPlace): string {
  return join(resolve(directory ?? join(stateDirectory(), 'sluice', accountName(account))), part);
}

/** The directory for state that outlives a program and needs no backup. */
function stateDirectory(): string {
  const { env, platform } = process;
  if (platform === 'win32') return env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support');
  return env.XDG_STATE_HOME || join(homedir(), '.local', 'state');
}

/** A short name that is different for each account and reveals nothing about it. */
function accountName(account: string): string {
  return createHash('sha256').update(account).digest('hex').slice(0, 16);
}
