import { useRef, useState } from 'preact/hooks';
import { AskError } from './ask.ts';

/** Something that was started by whoever looks, and may fail. */
export interface Task {
  readonly isRunning: boolean;
  /** Why the last one failed; undefined while one runs, and where it went well. */
  readonly error: unknown;
  /** Starts it, unless one runs. Never rejects. */
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

/** The message of a refusal that is about `field`, to stand beside it. */
export function fieldError(error: unknown, field: string): string | undefined {
  return error instanceof AskError && error.field === field ? error.message : undefined;
}
