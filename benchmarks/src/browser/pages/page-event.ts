/** An event, as the page of a shop tracks it. */
export interface PageEvent {
  readonly name: string;
  readonly customer: string;
  readonly payload: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

/** The page calls it for each event. */
export type Track = (event: PageEvent) => void;

/** Starts an SDK that sends to this address, as a page does when it loads. */
export type Open = (serviceUrl: string) => Track;
