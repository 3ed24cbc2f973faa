import type { KeyRow, KeyRows } from '../../src/admin/contract.ts';
import { CopyButton } from '../parts/copy.tsx';
import { Ask, type AskProps, Problem } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Time } from '../parts/text.tsx';
import { ask, tell } from '../shell/ask.ts';
import type { Answer } from '../shell/asking.ts';

/** Lists the API keys; creates, renames and revokes them. */
export function KeysCard({ keys }: { readonly keys: Answer<KeyRows> }) {
  const all = keys.value?.keys ?? [];
  const valid = all.filter(({ revokedAt }) => revokedAt === null);
  const revoked = all.filter(({ revokedAt }) => revokedAt !== null);
  return (
    <section class="card" aria-labelledby="keys">
      <div class="row">
        <h2 id="keys" class="grow">
          API keys
        </h2>
        <NameAsk
          button="Create key"
          title="Create an API key"
          onName={(name) => tell('POST', '/keys', { name }).then(keys.again)}
        />
      </div>
      <p class="muted">
        Give each application its own key. Then the requests page shows which application sent a request, and
        you can revoke one key alone.
      </p>
      <Problem of={keys} />
      {keys.value !== undefined && valid.length === 0 && (
        <p class="notice">No key is valid: every request is refused until you create one.</p>
      )}
      <ul class="list" aria-label="API keys">
        {[...valid, ...revoked].map((row) => (
          <KeyItem key={row.id} row={row} isOnlyOne={valid.length === 1} onChanged={keys.again} />
        ))}
      </ul>
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
          <NameAsk
            button="Rename"
            label={`Rename ${name}`}
            class="small"
            title={`Rename “${name}”`}
            before={name}
            onName={(name) => tell('PATCH', `/keys/${id}`, { name }).then(onChanged)}
          />
          <Ask
            button="Revoke"
            label={`Revoke ${name}`}
            class="small bad"
            title={`Revoke “${name}”?`}
            action="Revoke"
            isDanger
            onAction={() => ask(`/keys/${id}`, { method: 'DELETE' }).then(onChanged)}
          >
            <p>
              The emulator will refuse every request with the key <strong>{name}</strong>. You cannot undo
              this.
              {isOnlyOne &&
                ' It is the only valid key: nothing can be sent or read until you create another.'}
            </p>
          </Ask>
        </div>
      )}
    </li>
  );
}

interface NameAskProps extends Pick<AskProps, 'button' | 'label' | 'class' | 'title'> {
  readonly before?: string;
  readonly onName: (name: string) => Promise<unknown>;
}

/** Asks for the name of a key. */
function NameAsk({ before = '', onName, ...ask }: NameAskProps) {
  return (
    <Ask {...ask} action={ask.button} onAction={(fields) => onName(String(fields.get('name')))}>
      <Field label="Name" hint="The name of the application that uses the key.">
        <input name="name" defaultValue={before} />
      </Field>
    </Ask>
  );
}
