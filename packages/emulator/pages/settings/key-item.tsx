import { useState } from 'preact/hooks';
import type { KeyRow } from '../../src/admin/contract.ts';
import { CopyButton } from '../parts/dialogs/copy-button.tsx';
import { Time } from '../parts/text/time.tsx';

interface KeyItemProps {
  readonly row: KeyRow;
  readonly onRename?: () => void;
  readonly onRevoke?: () => void;
}

/** An API key in the list. The key itself is hidden until the user asks for it. */
export function KeyItem({ row, onRename, onRevoke }: KeyItemProps) {
  const [isShown, setShown] = useState(false);
  const { key, name, createdAt, lastUsedAt, revokedAt } = row;
  return (
    <li class="list-row key">
      <div class="key-what">
        <strong>{name}</strong>
        <span class="key-text">
          <code class="key-code">{isShown ? key : masked(key)}</code>
          <button
            type="button"
            class="copy"
            aria-label={isShown ? `Hide the key ${name}` : `Show the key ${name}`}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? 'Hide' : 'Show'}
          </button>
          {revokedAt === null && <CopyButton text={key} label={`Copy the key ${name}`} />}
        </span>
      </div>
      <div class="key-times muted">
        <span>
          Created <Time value={createdAt} />
        </span>
        {revokedAt === null ? (
          <span>
            {lastUsedAt === null ? (
              'Never used'
            ) : (
              <>
                Last used <Time value={lastUsedAt} />
              </>
            )}
          </span>
        ) : (
          <span>
            Revoked <Time value={revokedAt} />
          </span>
        )}
      </div>
      {revokedAt === null && (
        <div class="key-tools">
          <button type="button" class="small" aria-label={`Rename ${name}`} onClick={onRename}>
            Rename
          </button>
          <button type="button" class="small danger" aria-label={`Revoke ${name}`} onClick={onRevoke}>
            Revoke
          </button>
        </div>
      )}
    </li>
  );
}

function masked(key: string): string {
  const shown = Math.min(4, Math.floor(key.length / 4));
  return `${key.slice(0, key.startsWith('emulator_') ? 'emulator_'.length : 0)}••••••••${key.slice(-shown)}`;
}
