/** Which requests a fault acts on. All of it may be left out. */
export interface FaultScope {
  /** Only requests to ingest events, or only those to read customers. Default: both. */
  readonly endpoint?: 'events' | 'customers' | undefined;
  /** On so many in a hundred requests, above 0 to 100, by a seeded choice. Default 100. */
  readonly percent?: number | undefined;
  /** Lets so many requests pass first, from 0. Default 0. */
  readonly skip?: number | undefined;
  /** Acts so many times at most, from 1; then it is over. Default: no bound. */
  readonly times?: number | undefined;
  /** Is over after so many requests, from 1, whether it acted on them or not. Default: no bound. */
  readonly requests?: number | undefined;
  /** Begins so long after it was switched on, in milliseconds. Default 0. */
  readonly afterMs?: number | undefined;
  /** Is over so long after it began, in milliseconds, from 1. Default: no bound. */
  readonly forMs?: number | undefined;
}

/** Answers with a status in place of the service. */
export interface StatusFault extends FaultScope {
  readonly kind: 'status';
  /** 200 to 599. */
  readonly status: number;
  /** Body of the answer. Default: an error in the form that refusals have. */
  readonly body?: string | undefined;
  /** The header Retry-After: seconds, or an HTTP date. Default: none. */
  readonly retryAfter?: number | string | undefined;
}

/** Waits before it serves the request. */
export interface LatencyFault extends FaultScope {
  readonly kind: 'latency';
  /** How long, in milliseconds. */
  readonly ms: number;
  /** Up to so much longer, in milliseconds. Default 0. */
  readonly jitterMs?: number | undefined;
}

/** Reads the request and never answers. */
export interface HangFault extends FaultScope {
  readonly kind: 'hang';
}

/**
 * Resets the connection: `before` it reads the body, so that nothing is stored; or in the `middle` of its answer, after the
 * request was served.
 */
export interface ResetFault extends FaultScope {
  readonly kind: 'reset';
  /** Default `before`. */
  readonly at?: 'before' | 'middle' | undefined;
}

/** Serves the request and cuts the connection in place of an answer: whoever sent it cannot know that events were stored. */
export interface LostAnswerFault extends FaultScope {
  readonly kind: 'lost-answer';
}

/** Refuses bodies of more than `bytes` with 413. */
export interface TooLargeFault extends FaultScope {
  readonly kind: 'too-large';
  readonly bytes: number;
}

/** Refuses events whose JSON text matches a pattern, as it refuses those that break a rule. Acts on event ingestion only. */
export interface PoisonFault extends FaultScope {
  readonly kind: 'poison';
  /** A regular expression: `"sku":"B-2"`. */
  readonly pattern: string;
  /** Flags of it: `i`. Default: none. */
  readonly flags?: string | undefined;
}

/**
 * Is down: connections are refused for `forMs`. Where pages are served as well, which is at the API address, requests of the
 * interface are reset instead. It goes by time alone: of a scope it takes `endpoint` and `afterMs`.
 */
export interface DownFault extends FaultScope {
  readonly kind: 'down';
  readonly forMs: number;
  readonly percent?: undefined;
  readonly skip?: undefined;
  readonly times?: undefined;
  readonly requests?: undefined;
}

/** Does nothing: a rest between the steps of a script. */
export interface NoFault extends FaultScope {
  readonly kind: 'none';
}

/** One fault, as data. */
export type Fault =
  | StatusFault
  | LatencyFault
  | HangFault
  | ResetFault
  | LostAnswerFault
  | TooLargeFault
  | PoisonFault
  | DownFault
  | NoFault;

/** Faults in order: each begins when the one before it is over, so each but the last needs `times`, `requests` or `forMs`. */
export interface Script {
  readonly kind: 'script';
  readonly steps: readonly Fault[];
  /** Whether it begins again after the last step. Default false. */
  readonly repeat?: boolean | undefined;
}
