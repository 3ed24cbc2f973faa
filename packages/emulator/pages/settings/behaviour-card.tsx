import { useEffect, useState } from 'preact/hooks';
import type { BehaviourState } from '../../src/admin/contract.ts';
import { type Behaviour, readBehaviour } from '../../src/behaviour.ts';
import { PRESETS, type PresetName } from '../../src/presets.ts';
import { Problem } from '../parts/problem.tsx';
import { useAnswer } from '../shell/answer.ts';
import { tell } from '../shell/ask.ts';
import { status } from '../shell/live.ts';
import { useTask } from '../shell/task.ts';
import { BehaviourFields } from './behaviour-fields.tsx';

/** How the service answers where the interface is silent: a preset, and single settings that differ from it. */
export function BehaviourCard() {
  const { preset, isPresetChanged } = status.value ?? {};
  const {
    value: state,
    error,
    again,
  } = useAnswer<BehaviourState>('/behaviour', `${preset} ${isPresetChanged}`);
  return (
    <section class="card" aria-labelledby="behaviour">
      <h2 id="behaviour">How the service answers</h2>
      <p class="lead">
        The interface shows no status codes, no limits and no body of an answer. What it leaves open is chosen
        here, holds from the next request on, and is kept where the data is: let your code meet each of these
        readings.
      </p>
      <Problem error={error} onRetry={again} />
      {state !== undefined && <BehaviourForm state={state} onSaved={again} />}
    </section>
  );
}

interface Draft {
  readonly preset: PresetName;
  readonly behaviour: Behaviour;
}

function BehaviourForm({ state, onSaved }: { readonly state: BehaviourState; readonly onSaved: () => void }) {
  const [draft, setDraft] = useState<Draft>(state);
  const task = useTask();
  // The draft is replaced only if the state is another one. The same state again must not discard what the user is typing.
  const told = JSON.stringify({ preset: state.preset, behaviour: state.behaviour });
  useEffect(() => setDraft(JSON.parse(told)), [told]);
  const { preset, behaviour } = draft;
  const base = presetBehaviour(preset);
  const changes = differences(behaviour, base);
  const isSaved = preset === state.preset && isSame(behaviour, state.behaviour);
  const save = (event: Event) => {
    event.preventDefault();
    task.run(async () => {
      await tell('PUT', '/behaviour', { preset, behaviour: changes });
      onSaved();
    });
  };
  return (
    <form class="stack behaviour" onSubmit={save} noValidate>
      <fieldset class="options">
        <legend class="field-label">Preset</legend>
        {(Object.keys(PRESETS) as PresetName[]).map((name) => (
          <label key={name} class="option">
            <input
              type="radio"
              name="preset"
              checked={name === preset}
              onChange={() => {
                setDraft({ preset: name, behaviour: presetBehaviour(name) });
                task.clear();
              }}
            />
            <strong>{name}</strong>
            <small>{PRESETS[name].about}</small>
          </label>
        ))}
      </fieldset>
      <BehaviourFields
        behaviour={behaviour}
        base={base}
        error={task.error}
        onChange={(change) => {
          setDraft({ preset, behaviour: { ...behaviour, ...change } });
          task.clear();
        }}
      />
      <Problem error={task.error} />
      <div class="row end save">
        <span class="muted grow" role="status">
          {!isSaved && 'Not applied yet'}
        </span>
        {!isSaved && (
          <button type="button" onClick={() => setDraft(state)}>
            Discard
          </button>
        )}
        <button type="submit" class="main" disabled={isSaved || task.isRunning}>
          Apply
        </button>
      </div>
    </form>
  );
}

function presetBehaviour(name: PresetName): Behaviour {
  return readBehaviour(PRESETS[name].behaviour);
}

function differences(behaviour: Behaviour, base: Behaviour): Partial<Behaviour> {
  const names = Object.keys(base) as (keyof Behaviour)[];
  const changed = names.filter((name) => !isSame(behaviour[name], base[name]));
  return Object.fromEntries(changed.map((name) => [name, behaviour[name]]));
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
