import type { StoreName } from '../stores/open-store.ts';

export interface DurableSettings {
  readonly store: StoreName;
  readonly directory: string;
  readonly events: number;
  /** How many events wait for a commit of the stores that commit in groups. */
  readonly groupEvents: number;
}

export type DurableTold = {
  readonly type: 'measured';
  readonly elapsedMs: number;
  /** Events that the store holds afterwards. */
  readonly kept: number;
  /** Syncs, transactions or batches that it made for them. */
  readonly commits: number;
};
