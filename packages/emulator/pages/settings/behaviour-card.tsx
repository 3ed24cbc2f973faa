import type { BehaviourState } from '../../src/admin/contract.ts';
import { type Behaviour, readBehaviour } from '../../src/behaviour/behaviour.ts';
import { PRESETS, type PresetName } from '../../src/behaviour/presets.ts';
import { Snippet } from '../parts/copy.tsx';
import { Problem } from '../parts/dialog.tsx';
import { Choice } from '../parts/field.tsx';
import { JsonForm } from '../parts/json-form.tsx';
import { tell } from '../shell/ask.ts';
import { useAnswer } from '../shell/asking.ts';
import { useDraft } from '../shell/draft.ts';
import { status } from '../shell/live.ts';

/** How the service answers where the interface is silent: a preset, and settings that differ from it. */
export function BehaviourCard() {
  const { preset, isPresetChanged } = status.value ?? {};
  const answer = useAnswer<BehaviourState>('/behaviour', `${preset} ${isPresetChanged}`);
  const { value: state, error, again } = answer;
  return (
    <section class="card" aria-labelledby="behaviour">
      <h2 id="behaviour">How the service answers</h2>
      <p class="muted">
        The interface shows no status codes, no limits and no body of an answer. Choose here how the emulator
        answers. Your choice applies from the next request on. Try your code with each preset.
      </p>
      <Problem error={error} onRetry={again} />
      {state !== undefined && (
        <BehaviourForm key={JSON.stringify(state.behaviour)} state={state} onSaved={again} />
      )}
    </section>
  );
}

function BehaviourForm({ state, onSaved }: { readonly state: BehaviourState; readonly onSaved: () => void }) {
  const draft = useDraft<{ readonly preset: PresetName; readonly json: string }>('behaviour', () => ({
    preset: state.preset,
    json: written(differences(state.behaviour, readBehaviour(PRESETS[state.preset].behaviour))),
  }));
  const { preset } = draft.value;
  return (
    <>
      <JsonForm
        draft={draft}
        label="Settings that differ from the preset, as JSON"
        hint='For example {"maxEvents": 20, "statuses": {"rate_limited": 503}}. Every setting is in the list below.'
        action="Apply"
        onSave={async (behaviour) => {
          await tell('PUT', '/behaviour', { preset, behaviour });
          onSaved();
        }}
      >
        <Choice
          label="Preset"
          choices={PRESETS}
          value={preset}
          onChange={(preset) => draft.set({ preset, json: '{}' })}
        />
      </JsonForm>
      <details>
        <summary>All settings now</summary>
        <Snippet label="all settings" text={written(state.behaviour)} />
      </details>
    </>
  );
}

function differences(behaviour: Behaviour, base: Behaviour): Partial<Behaviour> {
  const names = Object.keys(base) as (keyof Behaviour)[];
  const changed = names.filter((name) => written(behaviour[name]) !== written(base[name]));
  return Object.fromEntries(changed.map((name) => [name, behaviour[name]]));
}

function written(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
