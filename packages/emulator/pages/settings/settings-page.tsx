import { useState } from 'preact/hooks';
import type { KeyRow, KeyRows } from '../../src/admin/contract.ts';
import { CopyButton, Snippet } from '../parts/copy.tsx';
import { Facts } from '../parts/facts.tsx';
import { Choice } from '../parts/field.tsx';
import { useAnswer } from '../shell/asking.ts';
import { status } from '../shell/live.ts';
import { link } from '../shell/route.ts';
import { BehaviourCard } from './behaviour-card.tsx';
import { KeysCard } from './keys-card.tsx';
import { LANGUAGES, type Language, snippets } from './snippets.ts';

/** How to reach the service, its API keys, and how it answers. */
export function SettingsPage() {
  const keys = useAnswer<KeyRows>('/keys', status.value?.newestRequest);
  return (
    <>
      <ConnectCard keys={keys.value?.keys ?? []} />
      <KeysCard keys={keys} />
      <BehaviourCard />
    </>
  );
}

/** Both base addresses, and code that sends events to one and reads a customer at the other. */
function ConnectCard({ keys }: { readonly keys: readonly KeyRow[] }) {
  const [language, setLanguage] = useState<Language>('curl');
  const first = keys.findLast(({ revokedAt }) => revokedAt === null);
  const current = status.value;
  const { send, read } = snippets(language, {
    baseUrl: current?.baseUrl ?? '',
    apiUrl: current?.apiUrl ?? '',
    apiKey: first?.key ?? 'API_KEY',
    primaryKey: current?.primaryKey ?? 'email',
  });
  return (
    <section class="card" aria-labelledby="connect">
      <h2 id="connect">Connect</h2>
      <Facts
        of={[
          ['Events are sent to {base_url}', <Address key="events" url={current?.baseUrl} />],
          ['Customers are read at {api_url}', <Address key="customers" url={current?.apiUrl} />],
        ]}
      />
      {current?.primaryKey === null && (
        <p class="notice">
          No primary key is selected yet: both addresses refuse every request until you{' '}
          <a href={link(['audience'])}>select one in the audience</a>.
        </p>
      )}
      <Choice label="Language of the snippets" choices={LANGUAGES} value={language} onChange={setLanguage} />
      <div class="snippets">
        <section>
          <h3>Send events</h3>
          <Snippet label="send events" text={send} />
        </section>
        <section>
          <h3>Read a customer</h3>
          <Snippet label="read a customer" text={read} />
        </section>
      </div>
    </section>
  );
}

function Address({ url = '…' }: { readonly url: string | undefined }) {
  return (
    <>
      <code>{url}</code> <CopyButton text={url} label={`Copy ${url}`} />
    </>
  );
}
