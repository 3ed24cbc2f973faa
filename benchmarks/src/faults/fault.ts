/** How to run a fault. */
export interface FaultContext {
  /** Few tries: enough to check that it runs, not enough to prove anything. */
  readonly isQuick: boolean;
  readonly seed: number;
  /** An empty directory, only for this fault. */
  readonly directory: string;
}

/** The result of a fault. It has passed if no event was lost and there are no problems. */
export interface FaultResult {
  readonly tries: number;
  /** Events that had to arrive. */
  readonly durable: number;
  readonly lost: number;
  readonly duplicates: number;
  readonly demand: string;
  /** What went wrong, one line each. */
  readonly problems: readonly string[];
  /** A table below the row: lines of cells, the titles first. */
  readonly details?: readonly (readonly string[])[];
}

/** Something that goes wrong, and what Sluice guarantees then. */
export interface Fault {
  readonly name: string;
  /** Why it cannot run on this machine; undefined if it can. */
  readonly skipReason?: string | undefined;
  /** Why a quick run leaves it out; undefined if it does not. */
  readonly notQuick?: string | undefined;
  run(context: FaultContext): Promise<FaultResult>;
}
