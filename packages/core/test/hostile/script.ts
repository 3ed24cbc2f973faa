/** The addresses of the hostile service. */
export interface HostileAddresses {
  /** Here it does what the path says, which is a script. */
  readonly origin: string;
  /** The same with a self-signed certificate. */
  readonly tlsOrigin: string;
  /** Host and port of a socket that accepts connections and sends nothing. */
  readonly silentHost: string;
  /** Host and port where nobody listens. */
  readonly closedHost: string;
}

/** What the hostile service does with a request. */
export interface Script {
  /** Identifies the request, so that a test can ask for it later. */
  readonly id: string;
  /** Whether it reads the body first. */
  readonly reads: boolean;
  /** What it sends, one character for each byte. `{path}` stands for the path of the request, without a slash at its end. */
  readonly says: string;
  /** What it sends if there is a slash behind the script. Left out: the same. */
  readonly saysBehindSlash?: string;
  /** What it sends again and again, until the connection is closed. */
  readonly repeats?: string;
  /** The pause before each repetition, or before the end, in milliseconds. */
  readonly everyMs: number;
  /** How it ends the connection. The connection stays open if this is not given. */
  readonly ends?: 'half-closed' | 'closed' | 'reset';
}

/** A request, as the hostile service saw it. */
export interface Seen {
  /** Number of its connection. */
  readonly connection: number;
  /** How many bytes of its body arrived. */
  readonly bytes: number;
  readonly isWhole: boolean;
  /** Whether its address ended in a slash. */
  readonly hasSlash: boolean;
  /** Its header `Authorization`. */
  readonly key: string | undefined;
  readonly cookie?: string | undefined;
  /** Whether its connection is open now. */
  readonly isOpen: boolean;
}
