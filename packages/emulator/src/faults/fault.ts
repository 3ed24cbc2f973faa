/** Which requests a fault acts on. Each field may be left out. */
export interface FaultScope {
  /** Only requests that send events, or only those that read customers. Default: both. */
  readonly endpoint?: 'events' | 'customers' | undefined;
  /** Acts on this many requests in a hundred, above 0 to 100, by a seeded random choice. Default 100. */
  readonly percent?: number | undefined;
  /** Lets this many requests pass first, from 0. Default 0. */
  readonly skip?: number | undefined;
  /** Acts at most this many times, from 1; then it is over. Default: no limit. */
  readonly times?: number | undefined;
  /** Is over after this many requests, from 1, whether it acted on them or not. Default: no limit. */
  readonly requests?: number | undefined;
  /** Begins this many milliseconds after it was switched on. Default 0. */
  readonly afterMs?: number | undefined;
  /** Is over this many milliseconds after it began, from 1. Default: no limit. */
  readonly forMs?: number | undefined;
}

/** One fault, as data: its kind with the settings of that, and its scope. */
export type Fault = FaultScope &
  (
    | {
        /** Answers with a status, instead of the service. */
        readonly kind: 'status';
        /** 200 to 599. */
        readonly status: number;
        /** Body of the answer. Default: from status 400 on, an error in the form of refusals; below 400, no body. */
        readonly body?: string | undefined;
        /** The header Retry-After: seconds, or an HTTP date. Default: none. */
        readonly retryAfter?: number | string | undefined;
      }
    | {
        /** Waits before it serves the request. */
        readonly kind: 'latency';
        /** How long, in milliseconds. */
        readonly ms: number;
        /** Maximum additional wait, chosen at random, in milliseconds. Default 0. */
        readonly jitterMs?: number | undefined;
      }
    | {
        /** Resets the connection. */
        readonly kind: 'reset';
        /**
         * `before` (the default): before it reads the body, so that nothing is stored. `middle`: in the middle of its answer, after
         * the request was served.
         */
        readonly at?: 'before' | 'middle' | undefined;
      }
    | {
        /** Refuses bodies of more than `bytes` with `body_too_large`, by default status 413. */
        readonly kind: 'too-large';
        readonly bytes: number;
      }
    | {
        /** Refuses events whose JSON text matches a pattern, as if they broke a rule. Acts on event ingestion only. */
        readonly kind: 'poison';
        /** A regular expression, for example `"sku":"B-2"`. */
        readonly pattern: string;
        /** Its flags, for example `i`. Default: none. */
        readonly flags?: string | undefined;
      }
    | {
        /**
         * Is down: refuses connections to event ingestion for `forMs`. The API address also serves the pages, so there it resets the
         * requests to the interface instead. It depends only on time: of a scope, it takes `endpoint` and `afterMs`.
         */
        readonly kind: 'down';
        readonly forMs: number;
        readonly percent?: undefined;
        readonly skip?: undefined;
        readonly times?: undefined;
        readonly requests?: undefined;
      }
    | {
        /**
         * `hang`: reads the request and never answers. `lost-answer`: serves the request, then cuts the connection instead of
         * answering. So the sender cannot know that events were stored.
         */
        readonly kind: 'hang' | 'lost-answer';
      }
    | {
        /** Does nothing: a pause between the steps of a script. */
        readonly kind: 'none';
      }
  );

/**
 * Faults in order. Each begins when the previous one is over, so each but the last needs `times`, `requests` or `forMs`. With
 * `repeat`, the last one needs it too.
 */
export interface Script {
  readonly kind: 'script';
  readonly steps: readonly Fault[];
  /** Whether it begins again after the last step. Default false. */
  readonly repeat?: boolean | undefined;
}

/**
 * A fault that was switched on. With `using`, it ends with the block.
 *
 * @example using fault = emulator.fail({ kind: 'status', status: 503, times: 3 });
 */
export interface FaultHandle extends Disposable, AsyncDisposable {
  /** Its id on the faults page and in the routes of the emulator. */
  readonly id: number;
  /** How many requests it acted on. */
  readonly hits: number;
  /** `waiting` until its time begins, `active` while it may act on requests, or `over`. */
  readonly state: 'waiting' | 'active' | 'over';
  /** Ends the fault. If the service was down, it resolves when the service is back. Requests that hang continue to hang. */
  stop(): Promise<void>;
}
