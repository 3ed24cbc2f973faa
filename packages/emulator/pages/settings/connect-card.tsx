import { useState } from 'preact/hooks';
import type { KeyRow } from '../../src/admin/contract.ts';
import { CopyButton, Snippet } from '../parts/copy.tsx';
import { Field, Segments } from '../parts/field.tsx';
import { status } from '../shell/live.ts';
import { link } from '../shell/route.ts';
import { LANGUAGES, type Language, snippets } from './snippets.ts';

/** Both base addresses, and code that sends events to one and reads a customer at the other. */
export function ConnectCard({ keys }: { readonly keys: readonly KeyRow[] }) {
  const [language, setLanguage] = useState<Language>('curl');
  const [keyId, setKeyId] = useState<number | undefined>();
  const valid = keys.filter(({ revokedAt }) => revokedAt === null);
  const chosen = valid.find(({ id }) => id === keyId) ?? valid.at(-1);
  const current = status.value;
  const { send, read } = snippets(language, {
    baseUrl: current?.baseUrl ?? '',
    apiUrl: current?.apiUrl ?? '',
    apiKey: chosen?.key ?? 'API_KEY',
    primaryKey: current?.primaryKey ?? 'email',
  });
  return (
    <section class="card" aria-labelledby="connect">
      <h2 id="connect">Connect</h2>
      <dl class="addresses">
        <Address label="Events are sent to" note="{base_url}" url={current?.baseUrl} />
        <Address label="Customers are read at" note="{api_url}" url={current?.apiUrl} />
      </dl>
      {current?.primaryKey === null && (
        <p class="notice">
          No primary key is selected yet: both addresses refuse every request until you{' '}
          <a href={link(['audience'])}>select one in the audience</a>.
        </p>
      )}
      <div class="row">
        <Segments
          label="Language of the snippets"
          choices={LANGUAGES}
          value={language}
          onChange={setLanguage}
        />
        {valid.length > 1 && (
          <Field label="API key in them" class="in-line">
            {(input) => (
              <select
                {...input}
                value={chosen?.id}
                onChange={(event) => setKeyId(Number(event.currentTarget.value))}
              >
                {valid.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
      </div>
      <div class="snippets">
        <div class="stack">
          <h3>Send events</h3>
          <Snippet label="send events" text={send} />
        </div>
        <div class="stack">
          <h3>Read a customer</h3>
          <Snippet label="read a customer" text={read} />
        </div>
      </div>
    </section>
  );
}

interface AddressProps {
  readonly label: string;
  readonly note: string;
  readonly url: string | undefined;
}

function Address({ label, note, url = '…' }: AddressProps) {
  return (
    <div class="address">
      <dt>
        {label} <code class="muted">{note}</code>
      </dt>
      <dd>
        <code>{url}</code> <CopyButton text={url} label={`Copy ${note}`} />
      </dd>
    </div>
  );
}
