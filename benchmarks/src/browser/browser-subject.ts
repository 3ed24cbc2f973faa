/** An SDK as a page uses it. */
export interface BrowserSubject {
  readonly name: string;
  /** Its file in `pages`, which opens it with the options that are told here. */
  readonly page: string;
  /** The package that it is, whose version belongs to the results. */
  readonly package?: string;
  /** Its options and what else is done for it, for the results. */
  readonly configuration: string;
}
