import { SluiceError } from '@sluice/protocol';
import { reasonOf } from '../reason.ts';

/** The disk or the browser's storage failed or is full. Delivery goes on from memory as far as that holds. */
export class StorageError extends SluiceError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('SLUICE_STORAGE', message, options);
  }
}

/** Says what could not be done, and why. */
export function storageError(what: string, cause: unknown): StorageError {
  return new StorageError(`${what}: ${reasonOf(cause)}`, { cause });
}
