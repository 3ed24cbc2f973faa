import { SluiceError } from '@sluice/protocol';

/** The disk or the browser's storage failed or is full. Delivery goes on from memory as far as that holds. */
export class StorageError extends SluiceError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('SLUICE_STORAGE', message, options);
  }
}
