import { AskError } from '../../shell/asking/ask.ts';

interface ProblemProps {
  /** The error that was thrown. Without one, nothing is shown. */
  readonly error: unknown;
  readonly onRetry?: () => void;
}

/** Shows what went wrong, in the words of the emulator. */
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
