import { AskError } from '../shell/ask.ts';

interface ProblemProps {
  /** What was thrown; nothing is shown where there is nothing. */
  readonly error: unknown;
  readonly onRetry?: () => void;
}

/** Says what went wrong, in the words of the emulator. */
export function Problem({ error, onRetry }: ProblemProps) {
  if (error === undefined || error === null) return null;
  return (
    <div class="problem row" role="alert">
      <span>{words(error)}</span>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

function words(error: unknown): string {
  if (error instanceof AskError) return error.message;
  return `This page has a defect: ${error instanceof Error ? error.message : String(error)}`;
}
