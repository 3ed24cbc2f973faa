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

/** A state that outlives its component, by its `name`. `first` returns what it is while nothing is kept. */
export function useDraft<T>(name: string, first: () => T): DraftState<T> {
  const [, render] = useState({});
  const isKept = kept.has(name);
  return {
    value: isKept ? (kept.get(name) as T) : first(),
    isKept,
    set: (next) => {
      kept.set(name, next);
      render({});
    },
    discard: () => {
      kept.delete(name);
      render({});
    },
  };
}
