/** Where the hostile service is. */
export interface HostileAddresses {
  /** Where it does what the path says, a script. */
  readonly origin: string;
  /** The same, under a certificate that it signed itself. */
  readonly tlsOrigin: string;
  /** Host and port of a socket that accepts connections and says nothing. */
  readonly silentHost: string;
  /** Host and port where nobody listens. */
  readonly closedHost: string;
}

/** What the hostile service does with a request. */
export interface Script {
  /** Names the request, so that a test can ask what came of it. */
  readonly id: string;
  /** Whether it reads the body before it does the rest. */
  readonly reads: boolean;
  /** What it says, one byte a character. */
  readonly says: string;
  /** What it goes on saying until nobody takes it any more. */
  readonly repeats?: string;
  /** How long it pauses before each repetition, or before it ends, in milliseconds. */
  readonly everyMs: number;
  /** What becomes of the connection; it stays open where nothing is said. */
  readonly ends?: 'half-closed' | 'closed' | 'reset';
}

/** A request, as the hostile service saw it. */
export interface Seen {
  /** Number of the connection that it came on. */
  readonly connection: number;
  /** How much of its body came. */
  readonly bytes: number;
  readonly isWhole: boolean;
  /** Whether its connection is open now. */
  readonly isOpen: boolean;
}
