import { useState } from 'preact/hooks';
import type { BehaviourState, KeyRows } from '../../src/admin/contract.ts';
import { type Behaviour, readBehaviour } from '../../src/behaviour/behaviour.ts';
import { PRESETS, type PresetName } from '../../src/behaviour/presets.ts';
import { CopyButton, Snippet } from '../parts/copy.tsx';
import { Problem } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { Choice } from '../parts/field.tsx';
import { type Draft, JsonForm } from '../parts/json-form.tsx';
import { tell } from '../shell/ask.ts';
import { useAnswer } from '../shell/asking.ts';
import { status } from '../shell/live.ts';
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

/** How the service answers where the interface is silent: a preset, and settings that differ from it. */
function BehaviourCard() {
  const { preset, isPresetChanged } = status.value ?? {};
  const answer = useAnswer<BehaviourState>('/behaviour', `${preset} ${isPresetChanged}`);
  const { value: state, again } = answer;
  return (
    <section class="card" aria-labelledby="behaviour">
      <h2 id="behaviour">How the service answers</h2>
      <p class="muted">
        The interface shows no status codes, no limits and no body of an answer. Choose here how the emulator
        answers. Your choice applies from the next request on. Try your code with each preset.
      </p>
      <Problem of={answer} />
      {state !== undefined && (
        <JsonForm
          name="behaviour"
          first={written(state.preset, state.behaviour)}
          label="Settings, as JSON"
          hint="These are all settings. Those that you leave out are as in the preset."
          action="Apply"
          onSave={(behaviour, preset) => tell('PUT', '/behaviour', { preset, behaviour }).then(again)}
          choices={{
            label: 'Preset',
            of: PRESETS,
            draft: (preset) => written(preset, readBehaviour(PRESETS[preset as PresetName].behaviour)),
          }}
        />
      )}
    </section>
  );
}

function written(preset: string, behaviour: Behaviour): Draft {
  return { json: JSON.stringify(behaviour, null, 2), of: preset };
}
