import type { Tracker } from '@sluice/core';
import cliProgress from 'cli-progress';
import { count, duration } from '../text/amounts.ts';

const TICK_MS = 200;
const PIPED_MS = 5_000;

/**
 * Does some work, and shows meanwhile how far the delivery is: a bar at a terminal, a line every five seconds elsewhere. Keeps the
 * process alive.
 *
 * @param total How many events are to be delivered, as far as that is known now.
 */
export async function withProgress<Result>(
  tracker: Tracker,
  total: () => number,
  isShown: boolean,
  work: () => Promise<Result>,
): Promise<Result> {
  const progress = new Progress(tracker, total, isShown);
  try {
    return await work();
  } finally {
    progress.stop();
  }
}

/** What `withProgress` shows. */
class Progress {
  readonly #bar: cliProgress.SingleBar | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #tracker: Tracker;
  readonly #before: number;
  readonly #total: () => number;

  constructor(tracker: Tracker, total: () => number, isShown: boolean) {
    this.#tracker = tracker;
    this.#before = endedOf(tracker);
    this.#total = total;
    if (isShown) {
      this.#bar = new cliProgress.SingleBar({
        format: '{bar} {percentage}%  {now} of {all} events  {rate}/s  {left}',
        ...{ barCompleteChar: '=', barIncompleteChar: '-', barsize: 30 },
        ...{
          hideCursor: null,
          gracefulExit: false,
          noTTYOutput: true,
          notTTYSchedule: PIPED_MS,
          emptyOnZero: true,
        },
      });
      this.#bar.start(total(), 0, this.#words(0));
    }
    this.#timer = setInterval(() => this.#show(), TICK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#show();
    this.#bar?.stop();
  }

  #show(): void {
    const now = endedOf(this.#tracker) - this.#before;
    this.#bar?.setTotal(Math.max(now, this.#total()));
    this.#bar?.update(now, this.#words(now));
  }

  #words(now: number): object {
    const { rates, pause } = this.#tracker.stats();
    const rate = rates.deliveredPerSecond;
    const left = Math.max(0, this.#total() - now);
    const time = rate > 0 && left > 0 ? `${duration((left / rate) * 1_000)} left` : '';
    const why = pause && left > 0 ? `waits: ${pause.reason}` : time;
    return {
      now: count(now),
      all: count(Math.max(now, this.#total())),
      rate: count(Math.round(rate)),
      left: why,
    };
  }
}

/** How many events of a tracker reached their end. */
function endedOf(tracker: Tracker): number {
  const { delivered, deadLettered, dropped } = tracker.stats();
  return Object.values(dropped).reduce((sum, one) => sum + one, delivered + deadLettered);
}
