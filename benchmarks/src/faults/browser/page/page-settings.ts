/** The settings of a page, which its address contains. */
export interface PageSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** `real`; `fast`, three times as fast; `virtual`, moved by `advance()`; `jumping`, set forward and back by `jump()`. */
  readonly clock: 'real' | 'fast' | 'virtual' | 'jumping';
  /** When a fast clock showed the system time, and the offset of a jumping clock. The same in all tabs. */
  readonly startedAt: number;
  readonly offsetMs: number;
  /** Whether it tracks all the time from its start. */
  readonly isBusy: boolean;
  readonly seed: number;
}

/** The messages of a page to the harness, as JSON. `life` is the number of the page: of its document, not of its tab. */
export type PageTold =
  | { readonly type: 'started'; readonly life: number }
  /** The page has tracked `tracked` events. Those from 0 to `durable` (exclusive) are in the journal. */
  | { readonly type: 'books'; readonly life: number; readonly tracked: number; readonly durable: number }
  | { readonly type: 'dropped'; readonly life: number; readonly reason: string; readonly count: number }
  /** Something happened that must not happen. */
  | { readonly type: 'problem'; readonly life: number; readonly what: string }
  /** The journal reported a failure. The fault decides whether that is allowed. */
  | { readonly type: 'storageFailed'; readonly life: number; readonly what: string };

/** Name of the global function with which a page sends a message to the harness. */
export const TELL = 'tellHarness';
/** Name of the request parameter that contains the number of the page. */
export const LIFE_PARAMETER = 'life';
