/** Tells other tabs until when no request may be made (milliseconds since 1970), and after how many failures in a row. */
export interface SharedPause {
  readonly until: number;
  readonly failures: number;
}
