import { type Clock, tried } from '@sluice/protocol/toolbox';
import { Alarm } from '../../base/alarm.ts';
import type { FileNote } from '../../keep/file/disk/file-note.ts';
import type { Settings } from '../../options/settings.ts';
import type { Transport } from '../../send/http/transport.ts';
import type { Waiting } from '../../wait/waiting.ts';

/** A process that lives for less than this may not see an answer, in milliseconds. */
const BRIEF_MS = 1_000;
/** Events that are older are sent all the same: maybe no process here lives for longer. */
const OLD_MS = 30_000;
/** How long the service may still work on a request whose process ended, in milliseconds. */
const ANSWER_MS = 10_000;
/** The longest pause over processes, in milliseconds. */
const MOST_MS = 60 * 60_000;
/** A process that lives for longer sends all the same, as a server after a crash loop: it sees the answer. */
export const LONG_MS = 60_000;

interface RestOptions {
  readonly clock: Clock;
  readonly settings: {
    readonly batch: Settings['batch'];
    readonly delivery: Pick<Settings['delivery'], 'timeoutMs'>;
    readonly advanced: Pick<Settings['advanced'], 'headersTimeoutMs'>;
  };
  readonly transport: Pick<Transport, 'isUnanswered'>;
  readonly sender: () => {
    /** Nothing may be sent before this time, after so many failures in a row. */
    pause(until: number, failures: number): void;
    wake(): Promise<void>;
  };
}

type Note = Pick<FileNote, 'read' | 'writeSync'>;

/** What waits to be sent. There is one line for each priority. */
type Pending = Pick<Waiting, 'pending' | 'bytes' | 'oldestAt' | 'urgent'> & {
  readonly lines: { readonly length: number };
};

/**
 * Keeps processes that live for less than a request, as command-line tools do, from sending the same events again and again. A
 * tracker that just started sends nothing, unless a batch is full, old or urgent. If the process ends before any request was
 * answered, the next one waits for as long as an answer may take, and twice as long each time, but for at most a minute of its life.
 */
export class Rest {
  readonly #options: RestOptions;
  readonly #note: Note;
  readonly #alarm: Alarm;
  readonly #startedAt: number;
  readonly #forget: () => void;
  #isRead = false;
  /** How many processes in a row ended without an answer. */
  #times = 0;

  /** @param atEnd Calls back at the last moment of the process. Returns a function that stops this. */
  constructor(options: RestOptions, note: Note, atEnd: (callback: () => void) => () => void) {
    const { clock, sender } = options;
    this.#options = options;
    this.#note = note;
    this.#alarm = new Alarm(clock, () => void sender().wake());
    this.#startedAt = clock.now();
    this.#forget = atEnd(() => this.#leave());
    void this.#read();
  }

  /** While it returns true, it wakes the sender when that may have changed. */
  isOn(waiting: Pending): boolean {
    if (!this.#isRead) return true;
    const { clock, settings } = this.#options;
    const { maxBytes, maxEvents, maxWaitMs } = settings.batch;
    const now = clock.now();
    const isFull = () => waiting.pending >= maxEvents || waiting.bytes >= maxBytes;
    const isOld = () => now - (waiting.oldestAt ?? now) >= OLD_MS;
    const leftMs = this.#startedAt + Math.min(maxWaitMs, BRIEF_MS) - now;
    // More than the whole rest: the clock was set back. What takes long to ask is asked last.
    const isBrief = leftMs > 0 && leftMs <= BRIEF_MS && waiting.urgent === 0 && waiting.lines.length === 1;
    const isOn = isBrief && !isFull() && !isOld();
    if (isOn) this.#alarm.set(leftMs);
    else this.#alarm.cancel();
    return isOn;
  }

  async close(): Promise<void> {
    this.#alarm.stop();
    this.#forget();
    this.#leave();
  }

  async #read(): Promise<void> {
    const { clock, sender } = this.#options;
    const [times = 0, until = 0] =
      (await this.#note.read().catch(() => undefined))?.split(' ').map(Number) ?? [];
    const leftMs = until - clock.now();
    // Otherwise it is no note, or the clock was set back.
    if (times > 0 && leftMs <= pauseMs(ANSWER_MS, times)) this.#times = times;
    if (this.#times > 0 && leftMs > 0) sender().pause(Math.min(until, this.#startedAt + LONG_MS), times);
    this.#isRead = true;
    void sender().wake();
  }

  /** The process ends. Never throws. */
  #leave(): void {
    const { clock, settings, transport } = this.#options;
    const { headersTimeoutMs } = settings.advanced;
    const { timeoutMs } = settings.delivery;
    const { isUnanswered } = transport;
    const times = isUnanswered ? this.#times + 1 : 0;
    // Nothing was sent, or nothing changed.
    if (isUnanswered === undefined || (times === 0 && this.#times === 0)) return;
    const answerMs = Math.min(ANSWER_MS, headersTimeoutMs, timeoutMs);
    // If it fails, the next process sends at once.
    tried(() => this.#note.writeSync(`${times} ${Math.round(clock.now() + pauseMs(answerMs, times))}`));
  }
}

function pauseMs(answerMs: number, times: number): number {
  return Math.min(MOST_MS, answerMs * 2 ** (times - 1));
}
