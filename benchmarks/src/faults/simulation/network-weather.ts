import type { Random } from '../random.ts';

/** What becomes of a request. `takes`: whether the service takes what is in it, if nothing is wrong with that. */
export type Turn =
  | { readonly kind: 'answer'; readonly takes: true }
  | {
      readonly kind: 'answer';
      readonly takes: boolean;
      readonly status: number;
      readonly retryAfter?: string | undefined;
    }
  | { readonly kind: 'silence' | 'reset'; readonly takes: boolean }
  | { readonly kind: 'not sent'; readonly takes: false };

type Mood = 'well' | 'moody' | 'away';
type Answer = Extract<Turn, { status: number }>;

/** The service has taken the events, or has not. */
const AMBIGUOUS = [408, 500, 502, 504];
/** More of those that are soon over: others pause for minutes. */
const REFUSALS = [429, 429, 429, 503, 503, 503, 425, 425, 401, 403, 404, 301];
const WELL: Turn = { kind: 'answer', takes: true };

/** Decides what becomes of requests. */
export class NetworkWeather {
  readonly #random: Random;
  mood: Mood = 'well';
  /** What a request has to carry; anything will do where this is undefined. */
  key: string | undefined;

  constructor(random: Random) {
    this.#random = random;
  }

  /** @param key What the request carries. */
  next(key: string): Turn {
    const random = this.#random;
    if (this.key !== undefined && !key.endsWith(this.key))
      return { kind: 'answer', takes: false, status: 401 };
    if (this.mood === 'well') return WELL;
    if (this.mood === 'away') return random(3) > 0 ? { kind: 'not sent', takes: false } : this.#failure();
    return random(2) === 0 ? WELL : this.#failure();
  }

  #failure(): Turn {
    const random = this.#random;
    // A service that fails without saying so has taken the events, or has not.
    const takes = random(2) === 0;
    switch (random(8)) {
      case 0:
        return { kind: 'silence', takes };
      case 1:
        return { kind: 'reset', takes };
      case 2:
        return { kind: 'not sent', takes: false };
      case 3:
        return { kind: 'answer', takes, status: AMBIGUOUS[random(AMBIGUOUS.length)] ?? 502 };
      default:
        return this.#refusal();
    }
  }

  /** An answer that says that nothing was taken, and nothing of the events. */
  #refusal(): Answer {
    const random = this.#random;
    const status = REFUSALS[random(REFUSALS.length)] ?? 503;
    const asksForTime = (status === 429 || status === 503) && random(2) === 0;
    return { kind: 'answer', takes: false, status, ...(asksForTime && { retryAfter: String(random(4)) }) };
  }
}
