import type { BehaviourChange, BehaviourState } from '../../src/admin/contract.ts';
import { type Behaviour, readBehaviour } from '../../src/behaviour/behaviour.ts';
import { PRESETS, type PresetName } from '../../src/behaviour/presets.ts';
import { Snippet } from '../parts/copy.tsx';
import { Form, Problem } from '../parts/dialog.tsx';
import { Choice, Field, typing } from '../parts/field.tsx';
import { AskError, readJson, tell } from '../shell/ask.ts';
import { useAnswer, useTask } from '../shell/asking.ts';
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

interface Draft {
  readonly preset: PresetName;
  /** The settings that differ from the preset, as JSON. */
  readonly settings: string;
}

function BehaviourForm({ state, onSaved }: { readonly state: BehaviourState; readonly onSaved: () => void }) {
  const draft = useDraft<Draft>('behaviour', () => ({
    preset: state.preset,
    settings: written(differences(state.behaviour, readBehaviour(PRESETS[state.preset].behaviour))),
  }));
  const task = useTask();
  const { preset, settings } = draft.value;
  const change = (changed: Draft) => {
    draft.set(changed);
    task.clear();
  };
  const save = async () => {
    const behaviour = readJson(settings.trim() || '{}') as Partial<Behaviour>;
    await tell('PUT', '/behaviour', { preset, behaviour } satisfies BehaviourChange);
    draft.discard();
    onSaved();
  };
  const aside = draft.isKept && (
    <>
      <span class="muted">Not applied yet</span>
      <button type="button" onClick={draft.discard}>
        Discard
      </button>
    </>
  );
  return (
    <Form task={task} action="Apply" isReady={draft.isKept} onAction={save} aside={aside}>
      <Choice
        label="Preset"
        choices={PRESETS}
        value={preset}
        onChange={(name) => change({ preset: name, settings: '{}' })}
      />
      <Field
        label="Settings that differ from the preset, as JSON"
        error={task.error instanceof AskError ? task.error.message : undefined}
        hint='For example {"maxEvents": 20, "statuses": {"rate_limited": 503}}. Every setting is in the list below.'
      >
        {(input) => (
          <textarea
            {...input}
            class="script"
            value={settings}
            spellcheck={false}
            onInput={typing((settings) => change({ preset, settings }))}
          />
        )}
      </Field>
      <details>
        <summary>All settings now</summary>
        <Snippet label="all settings" text={written(state.behaviour)} />
      </details>
    </Form>
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
