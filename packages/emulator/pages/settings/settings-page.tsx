import { useState } from 'preact/hooks';
import type { KeyRows } from '../../src/admin/contract.ts';
import { CopyButton, Snippet } from '../parts/copy.tsx';
import { Facts } from '../parts/facts.tsx';
import { Choice } from '../parts/field.tsx';
import { useAnswer } from '../shell/asking.ts';
import { status } from '../shell/live.ts';
import { BehaviourCard } from './behaviour-card.tsx';
import { KeysCard } from './keys-card.tsx';
import { LANGUAGES, snippets } from './snippets.ts';

/** How to reach the service (both base addresses, and code that uses them), its API keys, and how it answers. */
export function SettingsPage() {
  const { baseUrl, apiUrl, newestRequest } = status.value ?? {};
  const keys = useAnswer<KeyRows>('/keys', newestRequest);
  const [language, setLanguage] = useState('curl');
  const { send, read } = snippets(language, keys.value?.keys);
  return (
    <>
      <section class="card" aria-labelledby="connect">
        <h2 id="connect">Connect</h2>
        <Facts
          of={[
            ['Events are sent to {base_url}', <Address key="events" url={baseUrl} />],
            ['Customers are read at {api_url}', <Address key="customers" url={apiUrl} />],
          ]}
        />
        <Choice
          label="Language of the snippets"
          choices={LANGUAGES}
          value={language}
          onChange={setLanguage}
        />
        <div class="row tiles">
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
      <KeysCard keys={keys} />
      <BehaviourCard />
    </>
  );
}

function Address({ url = '…' }: { readonly url: string | undefined }) {
  return (
    <>
      <code>{url}</code> <CopyButton text={url} label={`Copy ${url}`} />
    </>
  );
}
