import { useState } from 'preact/hooks';
import type { BehaviourChange, BehaviourState } from '../../src/admin/contract.ts';
import { type Behaviour, readBehaviour } from '../../src/behaviour/behaviour.ts';
import { PRESETS, type PresetName } from '../../src/behaviour/presets.ts';
import { Problem } from '../parts/dialogs/problem.tsx';
import { Field } from '../parts/field.tsx';
import { useAnswer } from '../shell/asking/answer.ts';
import { AskError, tell } from '../shell/asking/ask.ts';
import { useTask } from '../shell/asking/task.ts';
import { useDraft } from '../shell/draft.ts';
import { status } from '../shell/live.ts';

/** How the service answers where the interface is silent: a preset, and settings that differ from it. */
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

interface Choice {
  readonly preset: PresetName;
  /** The settings that differ from the preset, as JSON. */
  readonly settings: string;
}

function BehaviourForm({ state, onSaved }: { readonly state: BehaviourState; readonly onSaved: () => void }) {
  const draft = useDraft<Choice>('behaviour', () => ({
    preset: state.preset,
    settings: written(differences(state.behaviour, presetBehaviour(state.preset))),
  }));
  const [syntax, setSyntax] = useState<string | undefined>();
  const task = useTask();
  const { preset, settings } = draft.value;
  const change = (choice: Choice) => {
    draft.set(choice);
    setSyntax(undefined);
    task.clear();
  };
  const save = (event: Event) => {
    event.preventDefault();
    const read = readSettings(settings);
    setSyntax(read.problem);
    if (read.problem !== undefined) return;
    task.run(async () => {
      await tell('PUT', '/behaviour', { preset, behaviour: read.value } satisfies BehaviourChange);
      draft.discard();
      onSaved();
    });
  };
  const refused = task.error instanceof AskError ? task.error.message : undefined;
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
              onChange={() => change({ preset: name, settings: '{}' })}
            />
            <strong>{name}</strong>
            <small>{PRESETS[name].about}</small>
          </label>
        ))}
      </fieldset>
      <Field
        label="Settings that differ from the preset, as JSON"
        error={syntax ?? refused}
        hint='For example {"maxEvents": 20, "statuses": {"rate_limited": 503}}. Every setting is in the list below.'
      >
        {(input) => (
          <textarea
            {...input}
            class="script"
            rows={Math.min(12, settings.split('\n').length + 1)}
            value={settings}
            spellcheck={false}
            onInput={({ currentTarget }) => change({ preset, settings: currentTarget.value })}
          />
        )}
      </Field>
      <details>
        <summary>All settings now</summary>
        <pre class="example">{JSON.stringify(state.behaviour, null, 2)}</pre>
      </details>
      <Problem error={refused === undefined ? task.error : undefined} />
      <div class="row end save">
        <span class="muted grow" role="status">
          {draft.isKept && 'Not applied yet'}
        </span>
        {draft.isKept && (
          <button type="button" onClick={draft.discard}>
            Discard
          </button>
        )}
        <button type="submit" class="main" disabled={!draft.isKept || task.isRunning}>
          Apply
        </button>
      </div>
    </form>
  );
}

function readSettings(text: string): { readonly value?: Partial<Behaviour>; readonly problem?: string } {
  try {
    return { value: JSON.parse(text.trim() === '' ? '{}' : text) };
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function presetBehaviour(name: PresetName): Behaviour {
  return readBehaviour(PRESETS[name].behaviour);
}

function differences(behaviour: Behaviour, base: Behaviour): Partial<Behaviour> {
  const names = Object.keys(base) as (keyof Behaviour)[];
  const changed = names.filter((name) => written(behaviour[name]) !== written(base[name]));
  return Object.fromEntries(changed.map((name) => [name, behaviour[name]]));
}

function written(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
