import { useState } from 'preact/hooks';
import type { KeyRow } from '../../src/admin/contract.ts';
import { CopyButton, Snippet } from '../parts/copy.tsx';
import { Facts } from '../parts/facts.tsx';
import { Choice, typing } from '../parts/field.tsx';
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
      <Facts
        of={[
          [
            'Events are sent to {base_url}',
            <Address key="events" name="{base_url}" url={current?.baseUrl} />,
          ],
          [
            'Customers are read at {api_url}',
            <Address key="customers" name="{api_url}" url={current?.apiUrl} />,
          ],
        ]}
      />
      {current?.primaryKey === null && (
        <p class="notice">
          No primary key is selected yet: both addresses refuse every request until you{' '}
          <a href={link(['audience'])}>select one in the audience</a>.
        </p>
      )}
      <div class="row">
        <Choice
          label="Language of the snippets"
          choices={LANGUAGES}
          value={language}
          onChange={setLanguage}
        />
        {valid.length > 1 && (
          <label class="row muted">
            API key in them
            <select value={chosen?.id} onChange={typing((id) => setKeyId(Number(id)))}>
              {valid.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
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

function Address({ name, url = '…' }: { readonly name: string; readonly url: string | undefined }) {
  return (
    <>
      <code>{url}</code> <CopyButton text={url} label={`Copy ${name}`} />
    </>
  );
}
