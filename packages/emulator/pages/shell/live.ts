import { type ReadonlySignal, signal } from '@preact/signals';
import type { Rates, Status } from '../../src/admin/contract.ts';
import { AskError, ask } from './ask.ts';

const KEPT_SECONDS = 300;
const REOPEN_MS = 2_000;

/** A second of the last minutes. */
export interface Second {
  /** Seconds since 1970. */
  readonly second: number;
  /** Events in it, by name; null where that is not known, as the emulator does not answer. */
  readonly counts: Rates['counts'] | null;
}

const latest = signal<Status | undefined>(undefined);
const lost = signal(false);
const locked = signal(false);
const seen = signal(1);
const recent = signal<readonly Second[]>([]);

/** How the emulator stands; undefined until it has answered. Changes at most four times a second. */
export const status: ReadonlySignal<Status | undefined> = latest;

/** Whether the emulator does not answer at the moment. */
export const isLost: ReadonlySignal<boolean> = lost;

/** How many emulators have been at this address since the page was opened. */
export const emulators: ReadonlySignal<number> = seen;

/** Whether the emulator answers, though not to this page: its token has changed. */
export const isLocked: ReadonlySignal<boolean> = locked;

/** Events per second of the last minutes, oldest first. Seconds that are missing in between are not known either. */
export const rates: ReadonlySignal<readonly Second[]> = recent;

let source: EventSource | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let ticker: ReturnType<typeof setInterval> | undefined;

// A browser has six connections to one host, for all of its windows: those that nobody sees do without.
document.addEventListener('visibilitychange', follow);
follow();

function follow(): void {
  if (document.visibilityState === 'hidden') close();
  else if (source === undefined) open();
}

function open(): void {
  const opened = new EventSource('/emulator/admin/live');
  source = opened;
  opened.onopen = () => {
    lost.value = false;
    locked.value = false;
    clearInterval(ticker);
  };
  opened.onerror = () => {
    if (!lost.value) ticker = setInterval(passUnknown, 1_000);
    lost.value = true;
    if (opened.readyState !== EventSource.CLOSED) return; // else it tries again by itself
    close();
    timer = setTimeout(follow, REOPEN_MS);
    ask('/status').catch((error: unknown) => {
      locked.value = error instanceof AskError && error.code === 'not_operator';
    });
  };
  opened.addEventListener('status', ({ data }) => {
    const now: Status = JSON.parse(data);
    if (latest.value !== undefined && latest.value.startedAt !== now.startedAt) seen.value += 1;
    latest.value = now;
  });
  opened.addEventListener('rates', ({ data }) => add(JSON.parse(data)));
}

function close(): void {
  clearTimeout(timer);
  source?.close();
  source = undefined;
}

let pending: Rates[] = [];

// The first minutes come as hundreds of messages at once: one change for all of them.
function add(rates: Rates): void {
  if (pending.length === 0) setTimeout(flush);
  pending.push(rates);
}

// What comes after the connection was lost tells those of the seconds since that the emulator knows.
function flush(): void {
  const [first] = pending;
  const before = recent.value.filter(({ second }) => first !== undefined && second < first.second);
  recent.value = [...before, ...pending].slice(-KEPT_SECONDS);
  pending = [];
}

function passUnknown(): void {
  const last = recent.value.at(-1);
  if (last === undefined) return;
  recent.value = [...recent.value, { second: last.second + 1, counts: null }].slice(-KEPT_SECONDS);
}
