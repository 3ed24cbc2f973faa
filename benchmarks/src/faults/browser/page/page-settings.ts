/** What a page is to do; it stands in its address. */
export interface PageSettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** `real`; `fast`, five times as fast; `virtual`, which `advance()` moves; `jumping`, which `jump()` puts forward and back. */
  readonly clock: 'real' | 'fast' | 'virtual' | 'jumping';
  /** When a fast clock showed what the system's does, and how much a jumping one is ahead: equal in all tabs. */
  readonly startedAt: number;
  readonly offsetMs: number;
  /** Whether it tracks all the time from the beginning. */
  readonly isBusy: boolean;
  readonly seed: number;
}

/** What a page tells its harness, as JSON. `life` is the number of that page: of its document, not of its tab. */
export type PageTold =
  | { readonly type: 'started'; readonly life: number }
  /** Of its events, so many were tracked, and 0 to `durable` (exclusive) are in the journal. */
  | { readonly type: 'books'; readonly life: number; readonly tracked: number; readonly durable: number }
  | { readonly type: 'dropped'; readonly life: number; readonly reason: string; readonly count: number }
  /** Something happened that must not. */
  | { readonly type: 'problem'; readonly life: number; readonly what: string }
  /** The journal reported a failure: whether it may, the fault knows. */
  | { readonly type: 'storageFailed'; readonly life: number; readonly what: string };

/** The name by which a page calls its harness. */
export const TELL = 'tellHarness';
/** The name of the parameter of a request that says which page makes it. */
export const LIFE_PARAMETER = 'life';
