/** A logger of pino's shape: data first, then a message. Anything that has these four methods. */
export interface Logger {
  debug(data: object, message: string): void;
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
  error(data: object, message: string): void;
}

/** A logger that never throws, whatever the one behind it does. */
export function guardedLogger(logger: Logger): Logger {
  const guarded = (level: keyof Logger) => (data: object, message: string) => {
    try {
      const result: unknown = logger[level](data, message);
      if (result instanceof Promise) result.catch(() => undefined);
    } catch {
      // There is nobody left to tell.
    }
  };
  return {
    debug: guarded('debug'),
    info: guarded('info'),
    warn: guarded('warn'),
    error: guarded('error'),
  };
}
