import type { StoreName } from '../stores/store.ts';

export interface DurableSettings {
  readonly store: StoreName;
  readonly directory: string;
  readonly events: number;
}

export type DurableTold = {
  readonly type: 'measured';
  readonly elapsedMs: number;
  /** Events that the store holds afterwards. */
  readonly kept: number;
};
