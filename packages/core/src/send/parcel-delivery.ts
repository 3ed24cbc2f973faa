import type { AdaptiveConcurrency } from '../pace/adaptive-concurrency.ts';
import type { Pass } from '../pace/breaker.ts';
import type { Gate } from '../pace/gate.ts';
import type { Reporter } from '../tell/reporter.ts';
import type { Parcel } from '../wait/parcel.ts';
import type { Waiting } from '../wait/waiting.ts';
import { createDelivery, type DeliveryOptions } from './delivery.ts';
import type { ReadRejected, Rejected } from './http/transport.ts';
import type { Requests } from './requests.ts';
import { ParcelTrial, type Refusal, type Trials } from './trials.ts';

/** How soon to try again to store a dead letter, in milliseconds. Others go on meanwhile. */
const STORAGE_RETRY_MS = 60_000;

/** Where dead letters are kept. */
export interface LetterStore {
  /** Stores the one event of a parcel as a dead letter. Rejects with a StorageError if that fails. */
  keep(parcel: Pick<Parcel, 'events'>, refusal: Refusal): Promise<void>;
}

type Shared =
  | 'settings'
  | 'clock'
  | 'random'
  | 'blame'
  | 'limits'
  | 'offset'
  | 'books';

interface ParcelDeliveryOptions extends Pick<DeliveryOptions<ParcelTrial>, Shared> {
  readonly breaker: DeliveryOptions<ParcelTrial>['gate'];
  readonly gate: Gate;
  readonly concurrency: AdaptiveConcurrency;
  readonly requests: Requests;
  readonly rejected: ReadRejected | undefined;
  readonly trials: Trials;
  readonly waiting: Waiting;
  readonly letters: LetterStore;
  readonly reporter: Reporter;
  /** Aborts all requests. */
  readonly signal: AbortSignal;
}

/** Makes what sends a parcel once, and does what the answer asks for. */
export function createParcelDelivery(options: ParcelDeliveryOptions) {
  const { breaker, clock, concurrency, gate, letters, limits } = options;
  const { reporter, requests, signal, trials, waiting } = options;
  const judge = createDelivery<ParcelTrial>({
    ...options,
    gate: breaker,
    settle,
    hasOthers: () => waiting.hasOthers,
    accepted(_, pass, isBack) {
      const now = clock.now();
      concurrency.accepted(now - pass.at, now);
      trials.accepted();
      if (!isBack) return;
      concurrency.restart();
      trials.resume();
    },
    end: (parcel, fate) => waiting.end(parcel, fate),
    halve: (trial) => trials.halve(trial),
    retry: (trial, waitMs) => trials.retry(trial, waitMs),
  });

  async function settle(trial: ParcelTrial, rejected: Rejected, status: number): Promise<void> {
    const { denied, parcel, why } = trial;
    const reasons = new Map(rejected);
    const indexes = [...reasons.keys()].flatMap((index) => [index, index + 1]);
    let index = 0;
    for (const part of waiting.cut(parcel, ...indexes)) {
      const reason = reasons.get(index);
      index += part.count;
      // A request that failed without an answer may still be running, and read the body.
      if (reason === undefined) await waiting.end(part, 'delivered', !why && requests.releasesBodies);
      else {
        const one = part === parcel ? trial : new ParcelTrial(part, denied);
        await bury(one, { status, excerpt: requests.redact(reason) });
      }
    }
  }

  /** Makes a dead letter. If its storage fails, only this event waits. */
  async function bury(trial: ParcelTrial, letter: Refusal): Promise<void> {
    try {
      await letters.keep(trial.parcel, letter);
    } catch (error) {
      reporter.storageFailed(error);
      trial.letter = letter;
      trial.isAlone = true;
      return trials.retry(trial, STORAGE_RETRY_MS);
    }
    await waiting.end(trial.parcel, 'deadLettered');
    reporter.emit('deadLettered', { count: 1, ...letter });
  }

  return async (trial: ParcelTrial, pass: Pass): Promise<void> => {
    try {
      if (trial.letter) return await bury(trial, trial.letter);
      trial.sent += 1;
      limits.sent?.(trial, pass.at);
      const outcome = await requests.post(trial.parcel, trial.sent > 1);
      if (!signal.aborted || outcome.kind === 'answered') await judge(trial, pass, outcome);
    } finally {
      gate.end(pass);
    }
  };
}
