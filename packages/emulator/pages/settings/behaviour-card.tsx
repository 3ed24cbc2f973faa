import type { BehaviourChange, BehaviourState } from '../../src/admin/contract.ts';
import { type Behaviour, readBehaviour } from '../../src/behaviour/behaviour.ts';
import { PRESETS, type PresetName } from '../../src/behaviour/presets.ts';
import { Snippet } from '../parts/copy.tsx';
import { Problem } from '../parts/dialog.tsx';
import { Choice, JsonField } from '../parts/field.tsx';
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
  const save = (event: Event) => {
    event.preventDefault();
    task.run(async () => {
      const behaviour = readJson(settings.trim() || '{}') as Partial<Behaviour>;
      await tell('PUT', '/behaviour', { preset, behaviour } satisfies BehaviourChange);
      draft.discard();
      onSaved();
    });
  };
  const refused = task.error instanceof AskError ? task.error.message : undefined;
  return (
    <form class="stack" onSubmit={save} noValidate>
      <Choice
        label="Preset"
        choices={PRESETS}
        value={preset}
        onChange={(name) => change({ preset: name, settings: '{}' })}
      />
      <JsonField
        label="Settings that differ from the preset, as JSON"
        error={refused}
        hint='For example {"maxEvents": 20, "statuses": {"rate_limited": 503}}. Every setting is in the list below.'
        value={settings}
        onChange={(settings) => change({ preset, settings })}
      />
      <details>
        <summary>All settings now</summary>
        <Snippet label="all settings" text={written(state.behaviour)} />
      </details>
      <Problem error={refused === undefined ? task.error : undefined} />
      <div class="row end">
        <span class="muted" role="status">
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

function differences(behaviour: Behaviour, base: Behaviour): Partial<Behaviour> {
  const names = Object.keys(base) as (keyof Behaviour)[];
  const changed = names.filter((name) => written(behaviour[name]) !== written(base[name]));
  return Object.fromEntries(changed.map((name) => [name, behaviour[name]]));
}

function written(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
