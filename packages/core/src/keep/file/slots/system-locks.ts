import type { Locks } from './locks.ts';
import { end, isListening, listen, socketLocks } from './socket-locks.ts';

/**
 * For Windows, where a socket has no path. A lock is a named pipe. It is in no directory: nobody can remove it, and nothing is
 * left of it when its holder ends.
 *
 * @param prefix What comes before the name of a lock, which is random.
 */
export function pipeLocks(prefix: string): Locks {
  return {
    async hold(_directory, name, onVisit) {
      const server = await listen(prefix + name, onVisit);
      return { release: () => end(server) };
    },
    isHeld: (_directory, name) => isListening(prefix + name),
    discard: async () => {},
  };
}

export const systemLocks: Locks =
  process.platform === 'win32' ? pipeLocks('\\\\.\\pipe\\sluice-') : socketLocks;
