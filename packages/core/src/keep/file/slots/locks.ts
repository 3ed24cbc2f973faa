/**
 * How the processes that share a directory tell who is alive. `socket-locks.ts` is the real one; a simulation, in which
 * all processes live in one, has its own.
 */
export interface Locks {
  /** Holds a lock by a name that nobody ever used, until it is released or the process dies, whichever way. */
  hold(directory: string, name: string, onVisit: () => void): Promise<HeldLock>;
  /** Whether somebody holds it. In doubt, they do: an orphan found later costs nothing, two owners cost duplicates. */
  isHeld(directory: string, name: string): Promise<boolean>;
  /** Clears away what a dead holder left, if it is older than `minAgeMs`. Never rejects. */
  discard(directory: string, name: string, minAgeMs: number): Promise<void>;
}

export interface HeldLock {
  release(): Promise<void>;
}
