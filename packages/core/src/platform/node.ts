import diagnosticsChannel from 'node:diagnostics_channel';
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { ConfigError } from '@sluice/protocol';
import {
  flag,
  isNonEmptyString,
  methods,
  milliseconds,
  nonEmpty,
  onAbort,
  oneOf,
  plainHttpWarning,
  type Rule,
  type Rules,
  thoroughRedactor,
  withoutSecrets,
} from '@sluice/protocol/toolbox';
import PQueue from 'p-queue';
import { MOST_BYTES } from '../keep/budget.ts';
import { FileNote } from '../keep/file/disk/file-note.ts';
import { nodeFileSystem } from '../keep/file/disk/node-file-system.ts';
import { FileJournal } from '../keep/file/file-journal.ts';
import { RULES } from '../options/rules.ts';
import { thoroughly } from '../options/thorough.ts';
import { destination } from '../parts/destination.ts';
import { Compression } from '../parts/gzip/compression.ts';
import { zlibGzip } from '../parts/gzip/zlib-gzip.ts';
import { hooks } from '../parts/hooks.ts';
import type { ConnectOptions } from '../send/http/connect-options.ts';
import { UndiciTransport } from '../send/http/undici-transport.ts';
import type { TextWriter } from '../wait/contents.ts';
import { allParts } from './all-parts.ts';
import type { Platform } from './platform.ts';
import { drainInBackground } from './process/drain-in-background.ts';
import { pathOf } from './process/journal-path.ts';
import { atLastMoment } from './process/last-moment.ts';
import { MemoryPool } from './process/memory-pool.ts';
import { Rest } from './process/rest.ts';

const text: TextWriter = {
  write: (string, target, offset) => (target as Buffer).write(string, offset),
  byteLength: (string) => Buffer.byteLength(string),
  mostWrittenBytes: 16 * 1024 * 1024,
  createMemory: () => new MemoryPool((bytes) => Buffer.allocUnsafeSlow(bytes)),
};

const PEM = 'text in PEM form, or its bytes';

const CONNECT: Readonly<Record<keyof ConnectOptions, Rule>> = {
  ca: [(value) => (Array.isArray(value) ? value.every(isPem) : isPem(value)), `${PEM}, or an array of these`],
  cert: [isPem, PEM],
  key: [isPem, PEM],
  passphrase: [isPassphrase, ''],
  servername: nonEmpty(),
  rejectUnauthorized: flag(),
  socketPath: nonEmpty(undefined, 'a path'),
  allowH2: flag(),
};

const NODE_RULES: Rules = {
  ...RULES,
  journalDirectory: nonEmpty(undefined, 'a path'),
  fsync: oneOf(['always', 'interval', 'never']),
  exitBudgetMs: milliseconds(undefined, 0),
  delivery: {
    ...RULES.delivery,
    connect: CONNECT,
    credentials: [() => false, 'absent in Node, which has no cookies: give delivery.headers a cookie'],
    dispatcher: methods('dispatch'),
  },
};

/** Headers about one connection. Undici refuses some of them, and the others must not reach the service. */
const OF_CONNECTION =
  /^(?:accept-encoding|connection|expect|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

const checked = thoroughly((options) => {
  const { delivery = {}, journal, journalDirectory, transport } = options;
  const { connect, dispatcher, headers = {} } = delivery;
  const name = Object.keys(headers).find((name) => OF_CONNECTION.test(name));
  if (name !== undefined) {
    const rule = `delivery.headers must not have "${name}", which is about the connection: leave it out`;
    throw new ConfigError('delivery.headers', rule);
  }
  const pairs = [
    ['journalDirectory', journalDirectory, 'the file journal', 'journal', journal],
    ['delivery.connect', connect, 'connections of Sluice', 'delivery.dispatcher', dispatcher],
    ['delivery.connect', connect, 'the transport of Sluice', 'transport', transport],
    ['delivery.dispatcher', dispatcher, 'the transport of Sluice', 'transport', transport],
  ] as const;
  for (const [option, value, purpose, other, otherValue] of pairs) {
    if (value === undefined || otherValue === undefined) continue;
    throw new ConfigError(option, `${option} is for ${purpose}: leave it out, or leave out ${other}`);
  }
}, NODE_RULES);

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
    checked,
    destination: (options, apiKey, onFailed) =>
      withoutSecrets([apiKey], () => destination(options, apiKey, onFailed)),
    hooks: (settings, onFailed) => withoutSecrets([settings.apiKey], () => hooks(settings, onFailed)),
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
  createJournal({ settings, maxBytes, part }) {
    return new FileJournal({
      directory: pathOf(settings, part),
      isPart: part !== undefined,
      fsync: settings.fsync ?? 'interval',
      clock: settings.clock,
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

function isPem(value: unknown): boolean {
  return isNonEmptyString(value) || (value instanceof Uint8Array && value.length > 0);
}

/** Throws a ConfigError that does not show the value. */
function isPassphrase(value: unknown, option = ''): boolean {
  if (isNonEmptyString(value)) return true;
  throw new ConfigError(option, `${option} must be a non-empty string, got a value that is not shown`);
}
