import { SluiceError } from './sluice-error.ts';

/**
 * An event cannot be sent as it is: fix the event.
 *
 * @example tracker.on('invalid', ({ error }) => console.warn(error.event, error.field, error.message)); // an InvalidEventError
 */
export class InvalidEventError extends SluiceError {
  /** The wrong field: `correlationValue`, `payload.items[2].price`. */
  declare readonly field: string;
  /** Name of the event. Undefined if it has none, or if `identify()` was refused. */
  declare readonly event?: string;

  constructor(field: string, message: string, options?: { cause?: unknown }) {
    super('SLUICE_INVALID_EVENT', message, options);
    this.field = field;
  }
}
