import type { StoreName } from '../stores/open-store.ts';

export interface DurableSettings {
  readonly store: StoreName;
  readonly directory: string;
  readonly events: number;
  /** Size of a commit in events, for stores that commit in groups. */
  readonly groupEvents: number;
}

export type DurableTold = {
  readonly type: 'measured';
  readonly elapsedMs: number;
  /** How many events the store contains afterwards. */
  readonly kept: number;
  /** Syncs, transactions or batches that it made for these events. */
  readonly commits: number;
};
