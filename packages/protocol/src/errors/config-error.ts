import { SluiceError } from './sluice-error.ts';

/** An option is wrong: fix the code. The only error that constructors throw. */
export class ConfigError extends SluiceError {
  /** The option at fault, as written by the caller: `batch.maxBytes`. */
  readonly option: string;

  constructor(option: string, message: string, options?: { cause?: unknown }) {
    super('SLUICE_CONFIG', message, options);
    this.option = option;
  }
}
