import { SluiceError } from './sluice-error.ts';

/** An option is wrong: fix the code. Constructors throw no other error. */
export class ConfigError extends SluiceError {
  /** The wrong option, with its group as the caller wrote it: `batch.maxBytes`. */
  declare readonly option: string;

  constructor(option: string, message: string, options?: { cause?: unknown }) {
    super('SLUICE_CONFIG', message, options);
    this.option = option;
  }
}
