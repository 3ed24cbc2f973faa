/** The settings of a page that goes to the next one by itself. Its address contains them. */
export interface VisitSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly leaving: 'at-least-once' | 'once';
  /** The number of this page, and of the last one. Its events are those of the life with this number. */
  readonly page: number;
  readonly last: number;
  /** How long the user stays on a page. */
  readonly thinkMs: number;
  /** How long an event waits for others. */
  readonly maxWaitMs: number;
  /** Whether the next page is reached by way of another site. */
  readonly isElsewhere: boolean;
  /** Whether the browser prerenders the next page, and one that is never shown. */
  readonly isPrerendered?: boolean;
}

/** The number of the page that is prerendered beside the next one, and never shown. */
export function neverShown(page: number): number {
  return page + 1_000;
}

/** A view and a scroll; and then a click, which goes to the next page. */
export const EVENTS_OF_A_PAGE = 3;
