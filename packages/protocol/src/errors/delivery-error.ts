import { SluiceError } from './sluice-error.ts';

/** What is known about a failed request. */
export interface DeliveryFailure {
  /** HTTP status, if the service answered. */
  readonly status?: number | undefined;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** How long the service asked clients to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** The start of the answer's body, limited in length. */
  readonly excerpt?: string | undefined;
  readonly cause?: unknown;
}

/**
 * A request failed: the service refused it, or could not be reached.
 *
 * @example tracker.on('requestFailed', ({ error }) => console.warn(error.status, error.message)); // a DeliveryError
 */
export class DeliveryError extends SluiceError implements DeliveryFailure {
  declare readonly status: number | undefined;
  declare readonly retryable: boolean;
  declare readonly retryAfterMs: number | undefined;
  declare readonly excerpt: string | undefined;

  constructor(message: string, { cause, excerpt, retryable, retryAfterMs, status }: DeliveryFailure) {
    super('SLUICE_DELIVERY', message, cause === undefined ? undefined : { cause });
    Object.assign(this, { status, retryable, retryAfterMs, excerpt });
  }
}
