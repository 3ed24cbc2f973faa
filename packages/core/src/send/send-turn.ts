import type { Clock } from '@sluice/protocol/toolbox';
import { Alarm } from '../base/alarm.ts';
import type { Sharing } from '../keep/journal.ts';
import type { Gate } from '../pace/gate.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Waiting } from './waiting.ts';

/** How often to check whether this tab still needs the turn. */
const TICK_MS = 1_000;
/** After this many ticks, tabs that wait get the turn. Not earlier: what was learned about refused parcels is lost then. */
const MOST_TICKS = 10;
/** A tick without a pending request counts as this many. */
const IDLE_TICKS = 2;
/** When to check on other tabs that said that they have something to send, and have not sent it. */
const LOOK_MS = 10_000;

/** How many turns in a row may fail because this tab cannot read what others did. After that, it sends anyway. */
const MOST_BLIND_TRIES = 2;

interface SendTurnOptions {
  readonly sharing: Sharing;
  readonly clock: Clock;
  readonly gate: Pick<Gate, 'isBusy' | 'mayStart' | 'share' | 'sharedPause'>;
  /** Once aborted, nothing is sent any more. */
  readonly signal: AbortSignal;
  readonly waiting: Pick<Waiting, 'isDue' | 'pending'>;
  readonly reporter: Pick<Reporter, 'storageFailed'>;
  /** Sends what is due if this tab has the turn, else calls `seek()`. Resolves once sending has started. */
  readonly wake: () => Promise<void>;
}

/** The right to send, if several tabs share a journal. One tab has it at a time, and only while it sends. */
export interface SendTurn {
  readonly isOurs: boolean;
  /** Aborts when parcels that wait between two requests must go back. Stays aborted until the next turn. */
  readonly signal: AbortSignal;
  /**
   * Waits for the turn if something is due, or if other tabs must be checked; otherwise leaves the line. Resolves once the turn
   * has come and sending has started, or when the turn will not come now.
   */
  seek(): Promise<void>;
  /** Starts to end the turn: parcels that wait between two requests go back. */
  yield(): void;
  /** Ends the turn, so that another tab can have it. */
  end(): void;
  /** Ends the turn for good. Resolves once another tab can have it. */
  stop(): Promise<void>;
}

export function createSendTurn(options: SendTurnOptions): SendTurn {
  const { clock, gate, reporter, sharing, signal, waiting, wake } = options;
  /** Resolves once the turn has come, or will not come now. */
  let asked: Promise<void> | undefined;
  /** Ends the wait for the turn. */
  let ask = new AbortController();
  let stopping = new AbortController();
  /** Whether `stopping` was told to abort. The signal does not say it: WebKit does not abort one in a page that is gone. */
  let isStopped = true;
  /** Ends the turn. Set only while this tab has it. */
  let endTurn: (() => void) | undefined;
  /** Resolves once the lock of the last turn is released. */
  let last: Promise<void> = Promise.resolve();
  /** Runs while this tab has the turn. */
  const ticker = new Alarm(clock, () => tick());
  let ticks = 0;
  const lookout = new Alarm(clock, () => {
    isCalled = true;
    void wake();
  });
  /** Other tabs that said that they have something to send. */
  const others = new Set<string>();
  /** Whether this tab should check on others: they may have died with something to send. */
  let isCalled = false;
  /** How many times in a row this tab could not read what others did. */
  let blindTries = 0;
  /** When the last known pause ends: one that this tab read or stored. 0 until this page has had a turn. */
  let pauseUntil: number | undefined = 0;
  stopping.abort();
  sharing.listen((life, activity) => {
    if (activity === 'rests') others.delete(life);
    else others.add(life);
    // Wait in line behind the tab that works. If that tab dies, this one takes over at once.
    isCalled = others.size > 0 && (isCalled || activity === 'works');
    if (others.size > 0) lookout.set(LOOK_MS);
    else lookout.cancel();
    void wake();
  });

  /** Leaves the line. */
  function cancel(): void {
    if (!asked) return;
    asked = undefined;
    ask.abort();
  }

  function giveWay(): void {
    if (isStopped) return;
    isStopped = true;
    stopping.abort();
    void wake();
  }

  function end(): void {
    const release = endTurn;
    if (!release) return;
    endTurn = undefined;
    asked = undefined;
    ticker.cancel();
    isStopped = true;
    stopping.abort();
    release();
  }

  function hold(): Promise<void> {
    ask = new AbortController();
    const asking = ask.signal;
    return new Promise((resolve) => {
      last = sharing
        .hold(() => work(asking, resolve), asking)
        .catch(() => {
          // If this tab cannot have the lock, another one has it. That tab may die, so check later.
          if (!asking.aborted) lookout.set(LOOK_MS);
          if (ask.signal !== asking) return;
          // The lock may have been lost during the turn: stop the rest of the work as soon as possible.
          cancel();
          end();
        });
      void last.then(resolve).then(wake);
    });
  }

  /** This tab has the lock. Calls `started` once sending has started. Resolves once the turn is over. */
  async function work(asking: AbortSignal, started: () => void): Promise<void> {
    others.clear();
    isCalled = false;
    lookout.cancel();
    const isRead = await sharing.refresh().then(() => true, reporter.storageFailed);
    blindTries = isRead ? 0 : blindTries + 1;
    // The page may have been asleep. If storage is broken for good, sending twice is better than never.
    const isAwake = blindTries === 0 || blindTries > MOST_BLIND_TRIES;
    if (isAwake) {
      const { pause } = sharing;
      if (pause && pause.until !== pauseUntil) gate.share(pause, pauseUntil === 0);
      pauseUntil = pause?.until;
    }
    if (asking.aborted) return;
    // Let `seek()` ask again: maybe only a storage failure prevented this turn.
    if (!isAwake || !waiting.isDue) return cancel();
    const over = new Promise<void>((resolve) => {
      endTurn = resolve;
    });
    stopping = new AbortController();
    isStopped = false;
    ticks = 0;
    ticker.set(TICK_MS);
    sharing.tell('works');
    await wake();
    started();
    await over;
    // The turn is over, and no other tab has it yet.
    await sharing.setPause(gate.sharedPause).catch(reporter.storageFailed);
    pauseUntil = sharing.pause?.until;
  }

  function tick(): void {
    const isWanted = others.size > 0;
    const isIdle = !gate.isBusy;
    if (isIdle) ticks += isWanted ? MOST_TICKS : IDLE_TICKS;
    else ticks = isWanted ? ticks + 1 : 0;
    ticker.set(TICK_MS);
    if (ticks >= MOST_TICKS) giveWay();
  }

  return {
    get isOurs() {
      return endTurn !== undefined;
    },
    get signal() {
      return stopping.signal;
    },
    async seek() {
      if (!signal.aborted && gate.mayStart && (isCalled || waiting.isDue)) {
        asked ??= hold();
        return asked;
      }
      cancel();
      if (waiting.pending === 0) sharing.tell('rests');
    },
    yield: giveWay,
    end,
    async stop() {
      cancel();
      end();
      await last;
      lookout.cancel();
    },
  };
}
