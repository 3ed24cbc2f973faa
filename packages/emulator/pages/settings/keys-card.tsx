import { useState } from 'preact/hooks';
import type { KeyRow, KeyRows } from '../../src/admin/contract.ts';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { Problem } from '../parts/dialogs/problem.tsx';
import { Field } from '../parts/field.tsx';
import type { Answer } from '../shell/asking/answer.ts';
import { ask, tell } from '../shell/asking/ask.ts';
import { fieldError, useTask } from '../shell/asking/task.ts';
import { KeyItem } from './key-item.tsx';
import { RenameDialog } from './rename-dialog.tsx';

/** Lists the API keys; creates, renames and revokes them. */
export function KeysCard({ keys }: { readonly keys: Answer<KeyRows> }) {
  const [revoking, setRevoking] = useState<KeyRow | undefined>();
  const [renaming, setRenaming] = useState<KeyRow | undefined>();
  const all = keys.value?.keys ?? [];
  const valid = all.filter(({ revokedAt }) => revokedAt === null);
  const revoked = all.filter(({ revokedAt }) => revokedAt !== null);
  return (
    <section class="card" aria-labelledby="keys">
      <h2 id="keys">API keys</h2>
      <p class="lead">
        Each request to the service has an API key: <code>Authorization: Api-Key …</code>. Give each
        application its own key. Then the requests page shows which application sent a request, and you can
        revoke one key alone.
      </p>
      <Problem error={keys.error} onRetry={keys.again} />
      {keys.value !== undefined && valid.length === 0 && (
        <p class="notice">No key is valid: every request is refused until you create one.</p>
      )}
      {valid.length > 0 && (
        <ul class="list keys" aria-label="Valid API keys">
          {valid.map((row) => (
            <KeyItem
              key={row.id}
              row={row}
              onRename={() => setRenaming(row)}
              onRevoke={() => setRevoking(row)}
            />
          ))}
        </ul>
      )}
      <NewKey onMade={keys.again} />
      {revoked.length > 0 && (
        <details>
          <summary>{revoked.length} revoked</summary>
          <ul class="list keys" aria-label="Revoked API keys">
            {revoked.map((row) => (
              <KeyItem key={row.id} row={row} />
            ))}
          </ul>
        </details>
      )}
      {revoking !== undefined && (
        <Confirm
          title={`Revoke “${revoking.name}”?`}
          action="Revoke"
          onClose={() => setRevoking(undefined)}
          onConfirm={async () => {
            await ask(`/keys/${revoking.id}`, { method: 'DELETE' });
            setRevoking(undefined);
            keys.again();
          }}
        >
          <p>
            From this moment on, every request with the key <strong>{revoking.name}</strong> is refused. This
            cannot be taken back.
            {valid.length === 1 &&
              ' It is the only valid key: nothing can be sent or read until you create another.'}
          </p>
        </Confirm>
      )}
      {renaming !== undefined && (
        <RenameDialog row={renaming} onClose={() => setRenaming(undefined)} onRenamed={keys.again} />
      )}
    </section>
  );
}

function NewKey({ onMade }: { readonly onMade: () => void }) {
  const [name, setName] = useState('');
  const task = useTask();
  const make = (event: Event) => {
    event.preventDefault();
    task.run(async () => {
      await tell('POST', '/keys', { name });
      setName('');
      onMade();
    });
  };
  const error = fieldError(task.error, 'name');
  return (
    <form class="stack" onSubmit={make} noValidate>
      <div class="new-key">
        <Field label="Name of a new key" error={error}>
          {(input) => (
            <input
              {...input}
              value={name}
              placeholder="shop, staging, Ada's laptop"
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Field>
        <button type="submit" class="main" disabled={task.isRunning}>
          Create key
        </button>
      </div>
      <Problem error={task.error} />
    </form>
  );
}
