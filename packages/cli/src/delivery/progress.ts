import type { Tracker } from '@sluice/core';
import cliProgress from 'cli-progress';
import { count, counted, duration } from '../text/amounts.ts';

const BAR_MS = 200;
const LINE_MS = 5_000;

/** How far a delivery is. */
interface State {
  /** How many events reached their end. */
  readonly now: number;
  readonly all: number;
  readonly perSecond: number;
  /** How long the rest takes, or why it waits. Empty if neither is known. */
  readonly rest: string;
  /** What failed last, if it waits for that. */
  readonly why: string | undefined;
}

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
  const before = endedOf(tracker);
  const state = () => stateOf(tracker, before, total());
  const bar = isShown && process.stderr.isTTY ? openBar() : undefined;
  const show = (): void => {
    if (bar !== undefined) updateBar(bar, state());
    else if (isShown) process.stderr.write(`${lineOf(state())}\n`);
  };
  const stop = () => bar?.stop();
  // The second Ctrl-C ends the process at once: the terminal must wrap lines again.
  process.on('exit', stop);
  const timer = setInterval(show, bar === undefined ? LINE_MS : BAR_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    process.off('exit', stop);
    if (bar !== undefined) show();
    stop();
  }
}

function openBar(): cliProgress.SingleBar {
  const bar = new cliProgress.SingleBar({
    format: '{bar} {percentage}%  {now} of {all} events  {rate}/s  {rest}',
    barCompleteChar: '=',
    barIncompleteChar: '-',
    barsize: 15,
    hideCursor: null,
    gracefulExit: false,
    emptyOnZero: true,
  });
  bar.start(0, 0, { now: 0, all: 0, rate: 0, rest: '' });
  return bar;
}

function updateBar(bar: cliProgress.SingleBar, { now, all, perSecond, rest }: State): void {
  bar.setTotal(all);
  bar.update(now, { now: count(now), all: count(all), rate: count(perSecond), rest });
}

function lineOf({ now, all, perSecond, rest, why = '' }: State): string {
  if (all === 0) return 'no events yet';
  const percent = Math.floor((now * 100) / Math.max(1, all));
  const parts = [
    `${count(now)} of ${counted(all, 'event')} (${percent}%)`,
    `${count(perSecond)}/s`,
    rest,
    why,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function stateOf(tracker: Tracker, before: number, total: number): State {
  const { rates, pause, lastError } = tracker.stats();
  const now = endedOf(tracker) - before;
  const all = Math.max(now, total);
  const rate = rates.deliveredPerSecond;
  const left = all - now;
  const time = rate > 0 && left > 0 ? `${duration((left / rate) * 1_000)} left` : '';
  const state = { now, all, perSecond: Math.round(rate) };
  if (pause === undefined || left === 0) return { ...state, rest: time, why: undefined };
  return { ...state, rest: `waits: ${pause.reason}`, why: lastError?.message };
}

/** How many events of a tracker reached their end. */
function endedOf(tracker: Tracker): number {
  const { delivered, deadLettered, dropped } = tracker.stats();
  return Object.values(dropped).reduce((sum, one) => sum + one, delivered + deadLettered);
}
