import { EXIT } from './exit-codes.ts';

/**
 * A signal that aborts on Ctrl-C or SIGTERM, so that a command can end in order. The second Ctrl-C ends the process at once: a
 * journal bears that, too.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(EXIT.interrupted);
      controller.abort();
    });
  }
  return controller.signal;
}
