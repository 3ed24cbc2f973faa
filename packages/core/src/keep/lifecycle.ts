/** Moments in the life of the process or page at which the tracker acts. */
interface LifecycleListener {
  /**
   * The last moment: only what is done before this returns is done. Node's `exit`, and signals that end it.
   *
   * @param isFinal Whether nothing can be put off any more, by nobody.
   */
  exit(isFinal: boolean): void;
  /**
   * The page may be gone soon: only what is begun before this returns is sure to be done.
   *
   * @param isLeft Whether it is being left. Otherwise it is only out of sight, which may be the last that it is told.
   */
  hide(isLeft: boolean): void;
  /** The page is back: it is seen again, or goes on after it was frozen. */
  show(): void;
  /** The network may be back: a hint to try sooner. */
  online(): void;
  /** The network may be gone: a hint to try with less. */
  offline(): void;
}

/** Where those moments come from. */
export interface Lifecycle {
  /** Starts listening. Returns how to stop. */
  listen(listener: LifecycleListener): () => void;
  /** Whether nobody sees the page. Left out where there is none. */
  isHidden?(): boolean;
}
