/** Callbacks for the moments of a process or app at which the tracker acts. */
interface LifecycleListener {
  /**
   * The process ends (Node's `exit`, or a signal): only work that is finished when this returns is done.
   *
   * @param isFinal Whether nothing asynchronous can follow, as at `exit`. After a signal the process may survive.
   */
  exit(isFinal: boolean): void;
  /** The app went to the background. It may end there without another word. */
  hide(): void;
  /** The app is active again. */
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
  /** Whether the app is in the background. Absent if there is no such thing. */
  isHidden?(): boolean;
}
