/** Callbacks for the moments of a process or page at which the tracker acts. */
interface LifecycleListener {
  /**
   * The process ends (Node's `exit`, or a signal): only work that is finished when this returns is done.
   *
   * @param isFinal Whether nothing asynchronous can follow, as at `exit`. After a signal the process may survive.
   */
  exit(isFinal: boolean): void;
  /** The user goes to another page: it is time to write. The page goes on, and may stay. */
  go(): void;
  /**
   * The page may close soon: only work that has started when this returns is sure to be done.
   *
   * @param isLeft Whether the user leaves the page. Otherwise it is only hidden, and there may be no later callback.
   * @param isKept Whether to send nothing now: the next page is of the same origin and can do it, or there is no network.
   */
  hide(isLeft: boolean, isKept: boolean): void;
  /** The page is visible again, or continues after it was frozen. */
  show(): void;
  /** The network may be back: a hint to retry sooner. */
  online(): void;
  /** The network may be gone: a hint to try with fewer requests. */
  offline(): void;
}

/** The source of these callbacks. */
export interface Lifecycle {
  /** Starts to listen. Returns a function that stops it. */
  listen(listener: LifecycleListener): () => void;
  /** Whether the page is hidden. Absent if there is no page. */
  isHidden?(): boolean;
}
