/**
 * Tells other tabs until when no request may be made (milliseconds since 1970), and after how many failures in a row: 0 if pages
 * that open later must wait as well, because the service asked for the time or refuses everything.
 */
export interface SharedPause {
  readonly until: number;
  readonly failures: number;
}
