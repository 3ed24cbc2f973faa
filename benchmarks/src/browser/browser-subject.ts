/** An SDK, run in a page. */
export interface BrowserSubject {
  readonly name: string;
  /** Name of its file in `pages`. That file starts the SDK with the options that `configuration` describes. */
  readonly page: string;
  /** Its npm package. The results show its version. */
  readonly package?: string;
  /** Its options and other set-up, as text for the results. */
  readonly configuration: string;
}
