import { ConfigError, isSluiceError } from '@sluice/protocol';
import { createColors } from 'picocolors';
import { EXIT, type ExitCode, UsageError } from './exit-codes.ts';
import { plainText } from './text/plain-text.ts';

/** Where results and messages go. Results are on standard output, all else is on standard error. */
export class Output {
  readonly #isJson: boolean;
  readonly colors: ReturnType<typeof createColors>;

  /** @param isJson Whether results are lines of JSON. */
  constructor(isJson: boolean) {
    const { env, stdout } = process;
    this.#isJson = isJson;
    // Only for a person at a terminal. The library's own test also counts CI, whose output is a pipe.
    this.colors = createColors(Boolean(stdout.isTTY && !env.NO_COLOR && env.TERM !== 'dumb' && !isJson));
  }

  get isJson(): boolean {
    return this.#isJson;
  }

  /** Writes a result: as one line of JSON, or as text. */
  result(value: object, text: () => string): void {
    process.stdout.write(`${this.#isJson ? JSON.stringify(value) : text()}\n`);
  }

  /** Writes what a person wants to know meanwhile. Nothing with `--json`. */
  note(text: string): void {
    if (!this.#isJson) process.stderr.write(`${text}\n`);
  }

  /** Writes one line that says what is wrong, without a stack trace. Returns the exit code for it. */
  fail(error: unknown): ExitCode {
    const message = plainText(error instanceof Error ? error.message : String(error));
    const code = isSluiceError(error) ? error.code : undefined;
    process.stderr.write(
      this.#isJson ? `${JSON.stringify({ error: { code, message } })}\n` : `sluice: ${message}\n`,
    );
    return error instanceof UsageError || error instanceof ConfigError ? EXIT.usage : EXIT.failed;
  }
}
