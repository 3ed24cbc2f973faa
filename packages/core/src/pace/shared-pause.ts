/** Until when the service is to be left alone, in milliseconds since 1970, after how many failures in a row. */
export interface SharedPause {
  readonly until: number;
  readonly failures: number;
}
