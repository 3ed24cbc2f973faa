import { SluiceError } from '@sluice/protocol';

/** A part of the tracker was used after it was closed: make a new tracker. */
export class ClosedError extends SluiceError {
  constructor(message: string) {
    super('SLUICE_CLOSED', message);
  }
}
