import { SluiceError } from '@sluice/protocol';
import { reasonOf } from '../reason.ts';

/**
 * The disk or the browser's storage failed or is full. Delivery continues from memory, as long as memory has room.
 *
 * @example tracker.on('storageFailed', ({ error }) => console.error(error.message)); // a StorageError
 */
export class StorageError extends SluiceError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('SLUICE_STORAGE', message, options);
  }
}

export function storageError(what: string, cause: unknown): StorageError {
  return new StorageError(`${what}: ${reasonOf(cause)}`, { cause });
}
