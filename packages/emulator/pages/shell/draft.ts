import { useState } from 'preact/hooks';

// What the user has typed and not saved. It stays until it is saved or discarded, also if its page or panel closes meanwhile.
const kept = new Map<string, unknown>();

/** The state of a form that keeps its draft. */
export interface DraftState<T> {
  readonly value: T;
  /** Whether it differs from what the form began with: the user has typed something. */
  readonly isKept: boolean;
  readonly set: (value: T) => void;
  /** Forgets what the user has typed. Call it when it was saved or discarded. */
  readonly discard: () => void;
}

/** A state that outlives its component, by its `name`. `first` returns what to begin with if nothing is kept. */
export function useDraft<T>(name: string, first: () => T): DraftState<T> {
  const [{ value }, setState] = useState(() => ({ value: kept.has(name) ? (kept.get(name) as T) : first() }));
  return {
    value,
    isKept: kept.has(name),
    set: (next) => {
      kept.set(name, next);
      setState({ value: next });
    },
    discard: () => {
      kept.delete(name);
      setState({ value: first() });
    },
  };
}

/** Whether the user has typed something under this name that is neither saved nor discarded. */
export function hasDraft(name: string): boolean {
  return kept.has(name);
}
