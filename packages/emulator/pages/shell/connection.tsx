import { isLocked, isLost } from './live.ts';

/** Shows a message while the emulator does not answer. */
export function Connection() {
  return (
    <div role="status" class="connection">
      {isLost.value && (
        <p class="problem">
          {isLocked.value
            ? 'The emulator has started with another token: open the address of the pages that it tells now.'
            : 'The emulator does not answer. What you see is what was there last; it is tried again all the time.'}
        </p>
      )}
    </div>
  );
}
