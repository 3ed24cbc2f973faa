import { constants } from 'node:os';

/** The reason why the demo must end early. */
export class Interruption extends Error {
  override readonly name: string = 'Interruption';
  readonly exitCode: number;

  constructor(cause: string, exitCode: number) {
    super(`ended by ${cause}`);
    this.exitCode = exitCode;
  }
}

/** Returns a signal that aborts with an {@link Interruption} on SIGINT, SIGTERM or SIGHUP, or if the output is closed. */
export function watchForInterruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => controller.abort(new Interruption(name, 128 + constants.signals[name])));
  }
  process.stdout.on('error', () => {
    controller.abort(new Interruption('closed output', 128 + constants.signals.SIGPIPE));
  });
  return controller.signal;
}
