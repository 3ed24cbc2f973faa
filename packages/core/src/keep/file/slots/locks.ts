/**
 * How processes that share a directory find out which of them are alive. `system-locks.ts` has the real one. A
 * simulation that runs all processes in one has its own.
 */
export interface Locks {
  /**
   * Takes a lock and holds it until it is released or the process ends, for whatever reason. The name must never have been
   * used. `onVisit` is called when another process checks the lock.
   */
  hold(directory: string, name: string, onVisit: () => void): Promise<HeldLock>;
  /**
   * Whether a process holds the lock. True in doubt: an orphan that is found later costs nothing, but two owners cause
   * duplicates.
   */
  isHeld(directory: string, name: string): Promise<boolean>;
  /** Deletes what a dead holder left of its lock, if it is older than `minAgeMs`. Never rejects. */
  discard(directory: string, name: string, minAgeMs: number): Promise<void>;
}

/** A lock that this process holds. */
export interface HeldLock {
  /** Whether others still find it. False once somebody removed, moved or replaced it. Absent if nobody can. */
  isInPlace?(): Promise<boolean>;
  release(): Promise<void>;
}
