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

const WELL: Turn = { kind: 'answer', takes: true };

/** Decides what becomes of requests. */
export class NetworkWeather {
  readonly #random: Random;
  mood: Mood = 'well';

  constructor(random: Random) {
    this.#random = random;
  }

  next(): Turn {
    const random = this.#random;
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
        return { kind: 'answer', takes: false, status: 429, retryAfter: String(random(4)) };
      case 1:
        return { kind: 'answer', takes: false, status: 503, retryAfter: String(random(4)) };
      case 2:
        return { kind: 'silence', takes };
      case 3:
        return { kind: 'reset', takes };
      case 4:
        return { kind: 'not sent', takes: false };
      case 5:
        return { kind: 'answer', takes, status: 502 };
      default:
        return { kind: 'answer', takes: false, status: 500 };
    }
  }
}
