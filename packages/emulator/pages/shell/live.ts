import { type Signal, signal } from '@preact/signals';
import type { Rates, Status } from '../../src/admin/contract.ts';
import { AskError, ask } from './ask.ts';

const KEPT_SECONDS = 300;
const REOPEN_MS = 2_000;
const SILENT = 'The emulator does not answer. The page shows its last state, and keeps trying.';
const LOCKED = 'The emulator was started again with another token. Open the address that it prints now.';

/** The state of the emulator; undefined until it has answered. Changes at most four times a second. */
export const status: Signal<Status | undefined> = signal();

/** Why the page shows only the last state of the emulator; undefined while it shows the current one. */
export const lost: Signal<string | undefined> = signal();

/** Changes if everything that the page shows is gone: another emulator is at this address, or this one was cleared. */
export const emulators: Signal<number> = signal(1);

/** Events per second of the last minutes, oldest first. */
export const rates: Signal<readonly Rates[]> = signal([]);

let source: EventSource | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

// The first minutes arrive as hundreds of messages at once. All of them make one change of `rates`.
let seconds: readonly Rates[] = [];
let telling: ReturnType<typeof setTimeout> | undefined;

// A browser has six connections to one host, for all of its windows. So hidden windows do not use any.
document.addEventListener('visibilitychange', follow);
follow();

function follow(): void {
  if (document.visibilityState === 'hidden') close();
  else if (source === undefined) open();
}

function open(): void {
  const opened = new EventSource('/emulator/live');
  source = opened;
  opened.onopen = () => {
    lost.value = undefined;
  };
  opened.onerror = () => {
    lost.value ??= SILENT;
    if (opened.readyState !== EventSource.CLOSED) return; // the browser reconnects by itself
    close();
    timer = setTimeout(follow, REOPEN_MS);
    ask('/status').catch((error: unknown) => {
      lost.value = error instanceof AskError && error.cause === 'not_operator' ? LOCKED : SILENT;
    });
  };
  opened.addEventListener('status', ({ data }) => {
    const now: Status = JSON.parse(data);
    const before = status.value;
    const isOther = before?.startedAt !== now.startedAt || before?.clearings !== now.clearings;
    if (before !== undefined && isOther) emulators.value += 1;
    status.value = now;
  });
  // After a lost connection, the emulator sends the last minutes again, as far as it knows them. They replace what was here.
  opened.addEventListener('rates', ({ data }) => {
    const next: Rates = JSON.parse(data);
    seconds = [...seconds.filter(({ second }) => second < next.second), next].slice(-KEPT_SECONDS);
    clearTimeout(telling);
    telling = setTimeout(() => {
      rates.value = seconds;
    });
  });
}

function close(): void {
  clearTimeout(timer);
  source?.close();
  source = undefined;
}
