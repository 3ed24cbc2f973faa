/** What the emulator needs of a logger: pino's shape. A pino logger fits as it is. */
export interface Logger {
  debug(fields: Record<string, unknown>, message: string): void;
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

/** A logger that says nothing. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
