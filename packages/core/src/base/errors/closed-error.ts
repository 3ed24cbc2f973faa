import { SluiceError } from '@sluice/protocol';

/**
 * A part of the tracker was used after it was closed: make a new tracker.
 *
 * @example if (isSluiceError(error, 'SLUICE_CLOSED')) tracker = createTracker(options);
 */
export class ClosedError extends SluiceError {
  constructor(message: string) {
    super('SLUICE_CLOSED', message);
  }
}
