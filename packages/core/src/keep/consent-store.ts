/** A denial of consent that holds for all trackers of an account in one origin, now and later, until one of them is granted it. */
export interface ConsentStore {
  readonly isDenied: boolean;
  /** Stores a denial, or that it is lifted. */
  set(consent: 'granted' | 'denied'): void;
  /** Stops to listen to others. */
  close(): void;
}
