/** Moments in the life of the process or page at which the tracker acts. */
interface LifecycleListener {
  /**
   * The last moment: only what is done before this returns is done. Node's `exit`, and signals that end it.
   *
   * @param isFinal Whether nothing can be put off any more, by nobody.
   */
  exit(isFinal: boolean): void;
  /** The page may be gone soon: write and send now. */
  hide(): void;
  /** The network may be back: a hint to try sooner. */
  online(): void;
}

/** Where those moments come from. */
export interface Lifecycle {
  /** Starts listening. Returns how to stop. */
  listen(listener: LifecycleListener): () => void;
}
