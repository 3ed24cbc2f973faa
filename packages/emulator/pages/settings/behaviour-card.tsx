import type { BehaviourState } from '../../src/admin/contract.ts';
import { type Behaviour, readBehaviour } from '../../src/behaviour/behaviour.ts';
import { PRESETS, type PresetName } from '../../src/behaviour/presets.ts';
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
      {state !== undefined && <BehaviourForm state={state} onSaved={again} />}
    </section>
  );
}

function BehaviourForm({ state, onSaved }: { readonly state: BehaviourState; readonly onSaved: () => void }) {
  const draft = useDraft('behaviour', () => written(state.preset, state.behaviour));
  const { preset } = draft.value;
  return (
    <JsonForm
      draft={draft}
      label="Settings, as JSON"
      hint="All of them. What you leave out is as in the preset."
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
        onChange={(chosen) => draft.set(written(chosen, readBehaviour(PRESETS[chosen].behaviour)))}
      />
    </JsonForm>
  );
}

function written(preset: PresetName, behaviour: Behaviour) {
  return { preset, json: JSON.stringify(behaviour, null, 2) };
}
