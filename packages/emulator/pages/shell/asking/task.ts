import { useRef, useState } from 'preact/hooks';
import { AskError } from './ask.ts';

/** An action that the user started, and that may fail. */
export interface Task {
  readonly isRunning: boolean;
  /** Why the last one failed; undefined while one runs, and after a success. */
  readonly error: unknown;
  /** Starts it, unless another one runs. Never rejects. */
  readonly run: (work: () => Promise<unknown>) => Promise<void>;
  /** Forgets the error. */
  readonly clear: () => void;
}

export function useTask(): Task {
  const [state, setState] = useState<{ isRunning: boolean; error?: unknown }>({ isRunning: false });
  const isRunning = useRef(false);
  const run = async (work: () => Promise<unknown>) => {
    if (isRunning.current) return;
    isRunning.current = true;
    setState({ isRunning: true });
    try {
      await work();
      setState({ isRunning: false });
    } catch (error) {
      setState({ isRunning: false, error });
    } finally {
      isRunning.current = false;
    }
  };
  return { ...state, error: state.error, run, clear: () => setState({ isRunning: isRunning.current }) };
}

/** The message of a refusal about `field`, to show next to that field. */
export function fieldError(error: unknown, field: string): string | undefined {
  return error instanceof AskError && error.field === field ? error.message : undefined;
}
