import { SluiceError } from './sluice-error.ts';

/**
 * An option is wrong: fix the code. Constructors throw no other error.
 *
 * @example if (isSluiceError(error, 'SLUICE_CONFIG')) console.error(error.message); // names the option, and what is allowed
 */
export class ConfigError extends SluiceError {
  /** The wrong option, with its group as the caller wrote it: `batch.maxBytes`. */
  declare readonly option: string;

  constructor(option: string, message: string, options?: { cause?: unknown }) {
    super('SLUICE_CONFIG', message, options);
    this.option = option;
  }
}
