import type { BehaviourState } from '../../src/admin/contract.ts';
import { type Behaviour, readBehaviour } from '../../src/behaviour/behaviour.ts';
import { PRESETS, type PresetName } from '../../src/behaviour/presets.ts';
import { Problem } from '../parts/dialog.tsx';
import { type Draft, JsonForm } from '../parts/json-form.tsx';
import { tell } from '../shell/ask.ts';
import { useAnswer } from '../shell/asking.ts';
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
        <JsonForm
          name="behaviour"
          first={written(state.preset, state.behaviour)}
          label="Settings, as JSON"
          hint="All of them. What you leave out is as in the preset."
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
