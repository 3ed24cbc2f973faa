/** How a fault is run. */
export interface FaultContext {
  /** Few tries: to see that it works, not to prove anything. */
  readonly isQuick: boolean;
  readonly seed: number;
  /** An empty directory of its own. */
  readonly directory: string;
}

/** What a fault showed. */
export interface FaultResult {
  readonly tries: number;
  /** Events that had to arrive. */
  readonly durable: number;
  readonly lost: number;
  readonly duplicates: number;
  readonly demand: string;
  /** What went wrong, one line each. None: passed. */
  readonly problems: readonly string[];
  /** A table to be shown below the row: lines of cells, the titles first. */
  readonly details?: readonly (readonly string[])[];
}

/** Something that goes wrong in the world, and what Sluice promises then. */
export interface Fault {
  readonly name: string;
  /** Why it cannot be made on this machine; undefined where it can. */
  readonly skipReason?: string | undefined;
  run(context: FaultContext): Promise<FaultResult>;
}
