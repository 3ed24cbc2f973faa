import type { Clock } from '@sluice/protocol/toolbox';
import type { Settings } from '../options/settings.ts';
import type { DeadLetters } from '../parts/dead-letters/dead-letters.ts';
import type { learn } from '../parts/learn/learn.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Keeper } from './keep/keeper.ts';
import type { Letters } from './keep/letters.ts';
import type { Order, Parcels } from './keep/parcels.ts';
import type { Batch } from './send/batch.ts';

/** What the engine provides for its parts. */
interface Stages {
  readonly settings: Pick<Settings, 'storage'>;
  readonly clock: Clock;
  readonly parcels: Parcels;
  readonly reporter: Reporter;
  /** There may be something to send, or to drop. */
  readonly wake: () => void;
}

/** Limits of what waits. */
export interface Bounds {
  /** Whether so many bytes may be added. */
  hasRoom(bytes: number): boolean;
  /** Drops events until what is not written yet has room. */
  makeRoom(): void;
  /** @param retries What failed, and waits for its next try. */
  expire(retries: readonly Batch[]): void;
  stop(): void;
}

interface LetterStages extends Stages {
  readonly letters: Letters;
  readonly keeper: Keeper;
  readonly bounds: Bounds | undefined;
  /** Finds what other pages stored. */
  readonly list: () => Promise<unknown>;
  /** Aborted once the tracker is closed. */
  readonly signal: AbortSignal;
}

/** The parts that have another form in a page. */
export interface PageParts {
  readonly bounds?: (stages: Stages) => Bounds;
  readonly deadLetters?: (stages: LetterStages) => DeadLetters;
  readonly learn?: typeof learn;
  readonly perCustomer?: { readonly order: Order };
}
