import { useState } from 'preact/hooks';
import type { KeyRow, KeyRows } from '../../src/admin/contract.ts';
import { CopyButton } from '../parts/copy.tsx';
import { Ask, Form, Problem } from '../parts/dialog.tsx';
import { Field, typing } from '../parts/field.tsx';
import { Time } from '../parts/text.tsx';
import { ask, tell } from '../shell/ask.ts';
import { type Answer, fieldError, useTask } from '../shell/asking.ts';

/** Lists the API keys; creates, renames and revokes them. */
export function KeysCard({ keys }: { readonly keys: Answer<KeyRows> }) {
  const all = keys.value?.keys ?? [];
  const valid = all.filter(({ revokedAt }) => revokedAt === null);
  const revoked = all.filter(({ revokedAt }) => revokedAt !== null);
  return (
    <section class="card" aria-labelledby="keys">
      <h2 id="keys">API keys</h2>
      <p class="muted">
        Give each application its own key. Then the requests page shows which application sent a request, and
        you can revoke one key alone.
      </p>
      <Problem error={keys.error} onRetry={keys.again} />
      {keys.value !== undefined && valid.length === 0 && (
        <p class="notice">No key is valid: every request is refused until you create one.</p>
      )}
      <ul class="list" aria-label="API keys">
        {[...valid, ...revoked].map((row) => (
          <KeyItem key={row.id} row={row} isOnlyOne={valid.length === 1} onChanged={keys.again} />
        ))}
      </ul>
      <NewKey onMade={keys.again} />
    </section>
  );
}

interface KeyItemProps {
  readonly row: KeyRow;
  readonly isOnlyOne: boolean;
  readonly onChanged: () => void;
}

/** An API key in the list. */
function KeyItem({ row, isOnlyOne, onChanged }: KeyItemProps) {
  const { id, key, name, createdAt, lastUsedAt, revokedAt } = row;
  const [newName, setNewName] = useState(name);
  const [word, time] = revokedAt === null ? ['Last used', lastUsedAt] : ['Revoked', revokedAt];
  return (
    <li class="item row key">
      <div class="grow">
        <strong>{name}</strong> {revokedAt !== null && <span class="badge">revoked</span>}
        <div>
          <code>{key}</code> {revokedAt === null && <CopyButton text={key} label={`Copy the key ${name}`} />}
        </div>
      </div>
      <div class="muted small">
        Created <Time value={createdAt} />
        <br />
        {time === null ? 'Never used' : [word, ' ', <Time key={word} value={time} />]}
      </div>
      {revokedAt === null && (
        <div class="row">
          <Ask
            button="Rename"
            label={`Rename ${name}`}
            class="small"
            title={`Rename “${name}”`}
            action="Rename"
            onOpen={() => setNewName(name)}
            onAction={() => tell('PATCH', `/keys/${id}`, { name: newName }).then(onChanged)}
          >
            {({ error }) => (
              <Field label="Name" error={fieldError(error, 'name')} hint="The key itself stays the same.">
                {(input) => <input {...input} value={newName} onInput={typing(setNewName)} />}
              </Field>
            )}
          </Ask>
          <Ask
            button="Revoke"
            label={`Revoke ${name}`}
            class="small is-bad"
            title={`Revoke “${name}”?`}
            action="Revoke"
            isDanger
            onAction={() => ask(`/keys/${id}`, { method: 'DELETE' }).then(onChanged)}
          >
            <p>
              From this moment on, every request with the key <strong>{name}</strong> is refused. This cannot
              be taken back.
              {isOnlyOne &&
                ' It is the only valid key: nothing can be sent or read until you create another.'}
            </p>
          </Ask>
        </div>
      )}
    </li>
  );
}

/** Creates a key. */
function NewKey({ onMade }: { readonly onMade: () => void }) {
  const [name, setName] = useState('');
  const task = useTask();
  const make = async () => {
    await tell('POST', '/keys', { name });
    setName('');
    onMade();
  };
  return (
    <Form task={task} action="Create key" onAction={make}>
      <Field label="Name of a new key" error={fieldError(task.error, 'name')}>
        {(input) => (
          <input
            {...input}
            value={name}
            placeholder="shop, staging, Ada's laptop"
            onInput={typing(setName)}
          />
        )}
      </Field>
    </Form>
  );
}
