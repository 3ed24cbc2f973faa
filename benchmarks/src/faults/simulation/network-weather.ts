import type { Random } from '../random.ts';

/** What happens to a request. `takes`: whether the service takes its events, unless it refuses them. */
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

/** `wrong`: the service refuses all events, as after a bad release. */
export type Mood = 'well' | 'moody' | 'away' | 'wrong';
type Answer = Extract<Turn, { status: number }>;

/** With these, the service may or may not have taken the events. */
const AMBIGUOUS = [408, 500, 502, 504];
/** Statuses with short waits are more frequent: the others cause pauses of minutes. */
const REFUSALS = [429, 429, 429, 503, 503, 503, 425, 425, 401, 403, 404, 301];
/** How a service refuses all events. */
const WRONG = [400, 404, 413, 422];
const WELL: Turn = { kind: 'answer', takes: true };

/** Decides what happens to requests. */
export class NetworkWeather {
  readonly #random: Random;
  mood: Mood = 'well';
  /** The API key that a request must have. Undefined: any key. */
  key: string | undefined;

  constructor(random: Random) {
    this.#random = random;
  }

  /** @param key The values of the request's headers. */
  next(key: string): Turn {
    const random = this.#random;
    if (this.key !== undefined && !key.endsWith(this.key))
      return { kind: 'answer', takes: false, status: 401 };
    if (this.mood === 'well') return WELL;
    if (this.mood === 'wrong')
      return { kind: 'answer', takes: false, status: WRONG[random(WRONG.length)] ?? 400 };
    if (this.mood === 'away') return random(3) > 0 ? { kind: 'not sent', takes: false } : this.#failure();
    return random(2) === 0 ? WELL : this.#failure();
  }

  #failure(): Turn {
    const random = this.#random;
    // A service that fails without a clear answer may or may not have taken the events.
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

  /** An answer which says that nothing was taken, and does not blame the events. */
  #refusal(): Answer {
    const random = this.#random;
    const status = REFUSALS[random(REFUSALS.length)] ?? 503;
    const asksForTime = (status === 429 || status === 503) && random(2) === 0;
    return { kind: 'answer', takes: false, status, ...(asksForTime && { retryAfter: String(random(4)) }) };
  }
}
