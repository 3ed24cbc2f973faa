import type { Clock } from '@sluice/protocol/toolbox';
import type { Reporter } from '../../tell/reporter.ts';
import type { Keeper } from '../keep/keeper.ts';
import type { Tabs } from '../keep/tabs.ts';

const TURN_MS = 10_000;
/** A page that cannot list what is stored so often in a row sends what it knows. */
const MOST_MISSES = 3;

interface TurnOptions {
  readonly clock: Clock;
  readonly keeper: Pick<Keeper, 'survives'>;
  readonly tabs: Pick<Tabs, 'alone'>;
  readonly reporter: Pick<Reporter, 'storageFailed'>;
  /** Finds what other pages stored and ended. */
  readonly refresh: () => Promise<unknown>;
}

/** The right to send: one page has it at a time. */
export interface Turn {
  readonly isOurs: boolean;
  /** Whether this page has it, or waits for it. */
  readonly isAsked: boolean;
  /** Whether others are to have it. While requests hang, this page keeps it unless others want it. */
  isOver(running: number): boolean;
  ask(): void;
  end(): void;
  /** Ends it, or waits for it no more. */
  giveUp(): void;
  /** Another page wants it. */
  wanted(): void;
}

export function createTurn(options: TurnOptions, mayBegin: () => boolean, onChange: () => void): Turn {
  const { clock, keeper, tabs, reporter, refresh } = options;
  let asking: AbortController | undefined;
  /** Set while this page has the turn. */
  let finish: (() => void) | undefined;
  let until = 0;
  let isWanted = false;
  let misses = 0;

  async function work(): Promise<void> {
    try {
      await refresh();
      misses = 0;
    } catch (error) {
      reporter.storageFailed(error);
      misses += 1;
      // Twice is better than never.
      if (misses < MOST_MISSES) return;
    }
    if (!mayBegin()) return;
    const end = new Promise<void>((resolve) => {
      finish = resolve;
    });
    until = clock.now() + TURN_MS;
    onChange();
    await end;
    finish = undefined;
    isWanted = false;
  }

  async function ask(): Promise<void> {
    if (asking) return;
    asking = new AbortController();
    await (keeper.survives ? tabs.alone(work, asking.signal) : work()).catch(() => undefined);
    // A turn that was lost is over, too.
    finish?.();
    asking = undefined;
    onChange();
  }

  return {
    get isOurs() {
      return finish !== undefined;
    },
    get isAsked() {
      return asking !== undefined;
    },
    isOver: (running) => clock.now() >= until && (isWanted || running === 0),
    ask: () => void ask(),
    end: () => finish?.(),
    giveUp() {
      asking?.abort();
      finish?.();
    },
    wanted() {
      isWanted = true;
    },
  };
}
