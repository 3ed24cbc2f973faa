import { isLocked, isLost } from './live.ts';

/** Shows a message while the emulator does not answer. */
export function Connection() {
  return (
    <div role="status" class="connection">
      {isLost.value && (
        <p class="problem">
          {isLocked.value
            ? 'The emulator was started again with another token. Open the address that it prints now.'
            : 'The emulator does not answer. The page shows its last state, and tries again all the time.'}
        </p>
      )}
    </div>
  );
}
