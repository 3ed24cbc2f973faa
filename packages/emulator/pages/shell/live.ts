import { type Signal, signal } from '@preact/signals';
import type { Rates, Status } from '../../src/admin/contract.ts';
import { AskError, ask } from './ask.ts';

const KEPT_SECONDS = 300;
const REOPEN_MS = 2_000;

/** The state of the emulator; undefined until it has answered. Changes at most four times a second. */
export const status: Signal<Status | undefined> = signal();

/** Whether the emulator does not answer now. */
export const isLost: Signal<boolean> = signal(false);

/** Whether the emulator answers, but refuses this page, because its token has changed. */
export const isLocked: Signal<boolean> = signal(false);

/** Changes if everything that the page shows is gone: another emulator is at this address, or this one was cleared. */
export const emulators: Signal<number> = signal(1);

/** Events per second of the last minutes, oldest first. */
export const rates: Signal<readonly Rates[]> = signal([]);

let source: EventSource | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

// A browser has six connections to one host, for all of its windows. So hidden windows do not use any.
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
    isLost.value = false;
    isLocked.value = false;
  };
  opened.onerror = () => {
    isLost.value = true;
    if (opened.readyState !== EventSource.CLOSED) return; // the browser reconnects by itself
    close();
    timer = setTimeout(follow, REOPEN_MS);
    ask('/status').catch((error: unknown) => {
      isLocked.value = error instanceof AskError && error.code === 'not_operator';
    });
  };
  opened.addEventListener('status', ({ data }) => {
    const now: Status = JSON.parse(data);
    const before = status.value;
    const isOther = before?.startedAt !== now.startedAt || before?.clearings !== now.clearings;
    if (before !== undefined && isOther) emulators.value += 1;
    status.value = now;
  });
  opened.addEventListener('rates', ({ data }) => add(JSON.parse(data)));
}

function close(): void {
  clearTimeout(timer);
  source?.close();
  source = undefined;
}

let pending: Rates[] = [];

// The first minutes arrive as hundreds of messages at once. All of them make one change.
function add(second: Rates): void {
  if (pending.length === 0) setTimeout(flush);
  pending.push(second);
}

// After a lost connection, the emulator sends the last minutes again, as far as it knows them. They replace what was here.
function flush(): void {
  const [first] = pending;
  const before = rates.value.filter(({ second }) => first !== undefined && second < first.second);
  rates.value = [...before, ...pending].slice(-KEPT_SECONDS);
  pending = [];
}
