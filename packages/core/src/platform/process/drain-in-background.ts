import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import { tried } from '@sluice/protocol/toolbox';
import type { TrackerOptions } from '../../options/options.ts';
import type { Settings } from '../../options/settings.ts';

export interface Drain {
  readonly options: TrackerOptions;
  readonly directory: string;
}

/** By a name that bundlers do not see: Turbopack makes something of its own from `new URL('…', import.meta.url)`. */
const NAME = ['..', '..', 'entries', 'background-drain.js'].join('/');

/** Waits before each round, in milliseconds: each is twice as long as the one before. */
const FIRST_WAIT_MS = 1_000;
const LAST_WAIT_MS = 8_000;

/**
 * Starts a detached process that waits for the end of this one, delivers what it left, and ends. Returns false if it cannot: the
 * journal is no file journal, code of the user's own is to send or to read answers, a bundle lacks the script, or the system starts no
 * process.
 */
export function drainInBackground(settings: Settings, directory: string): boolean {
  const { destination, journal, transport, delivery } = settings;
  const { classify, dispatcher } = delivery;
  const isOurs = !journal && !transport && !dispatcher && !classify && !hasFunction(destination);
  if (!isOurs) return false;
  const isStarted = tried(() => {
    // Not at import: a bundle may know no address of its own. In CommonJS of esbuild, `import.meta.url` is undefined.
    const script = fileURLToPath(new URL(NAME, import.meta.url));
    return existsSync(script) && start(script, { options: optionsOf(settings), directory });
  });
  // Undefined if the environment is too large for a process, for example.
  return isStarted === true;
}

/** Returns false, or throws, if the system starts no process. */
function start(script: string, drain: Drain): boolean {
  const child = spawn(process.execPath, [script], {
    detached: true,
    // On Windows, a detached process has a console window of its own.
    windowsHide: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    // An Electron application runs the script as Node does.
    env: { ...process.env, NODE_OPTIONS: '', ELECTRON_RUN_AS_NODE: '1' },
  });
  // Without a script, what is left waits for the next process.
  child.on('error', () => {});
  // Absent if this process has too many open files.
  const stdin: Writable | undefined = child.stdin;
  if (!stdin) return false;
  stdin.on('error', () => {});
  // If the text is larger than the pipe, wait until the other process reads it: `process.exit()` would lose the rest.
  const pipe: { setBlocking?(isBlocking: boolean): unknown } = Object(Reflect.get(stdin, '_handle'));
  pipe.setBlocking?.(true);
  // The key is in no argument and no variable that others could read. The pipe ends with this process.
  stdin.write(`${serialize(drain).toString('base64')}\n`);
  if (stdin instanceof Socket) stdin.unref();
  child.unref();
  return child.pid !== undefined;
}

function hasFunction(destination: object = {}): boolean {
  return Object.values(destination).some((value) => typeof value === 'function');
}

/** The options that another process can have, without what only this one can call. */
function optionsOf(settings: Settings): TrackerOptions {
  const { baseUrl, correlationKey, apiKey, account, advanced, destination, fsync } = settings;
  const { storage, deadLetters, unidentified, buffer, batch, ordering, compress, delivery } = settings;
  const { classify, credentials, dispatcher, ...others } = delivery;
  return {
    baseUrl,
    correlationKey,
    fsync,
    ordering,
    compress,
    // The other process checks what is only a default here.
    delivery: { ...others, retryBaseMs: Math.min(others.retryBaseMs, others.retryMaxMs) },
    ...(apiKey !== undefined && { apiKey }),
    account,
    advanced,
    destination,
    storage,
    deadLetters,
    unidentified,
    buffer: bounded(buffer),
    batch: bounded(batch),
  };
}

/** A group of options without what has no bound. */
function bounded<Group extends object>(group: Group): Partial<Group> {
  const given = Object.entries(group).filter(([, value]) => value !== Number.POSITIVE_INFINITY);
  // The cast is safe: each value is unchanged, or left out.
  return Object.fromEntries(given) as Partial<Group>;
}

interface Rounds {
  /** Whether no process drains the directory that started earlier. */
  readonly isFirst: () => Promise<boolean>;
  readonly wait: (ms: number) => Promise<unknown>;
  /** Whether another tool ended since the last call. */
  readonly isVisited: () => boolean;
  /** Delivers what tools left. Resolves to false if there was nothing, or if it cannot be delivered now. */
  readonly drain: () => Promise<boolean>;
}

/**
 * Delivers what short processes left. While they follow one another, it waits for more of them, so that they share few requests.
 * Ends after a round without any: a tool that ends later starts another process.
 */
export async function drainInRounds({ isFirst, wait, isVisited, drain }: Rounds): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; await isFirst(); waitMs = Math.min(LAST_WAIT_MS, 2 * waitMs)) {
    await wait(waitMs);
    const isBusy = isVisited();
    if (isBusy && waitMs < LAST_WAIT_MS) continue;
    if (!(await drain()) && !isBusy && !isVisited()) break;
  }
}
