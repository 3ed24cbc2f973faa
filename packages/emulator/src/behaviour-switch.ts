import { refusal } from '@sluice/protocol';
import type { BehaviourChange, BehaviourState } from './admin/contract.ts';
import { type Behaviour, type BehaviourSettings, readBehaviour } from './behaviour.ts';
import { isPresetName, PRESETS, type PresetName } from './presets.ts';

/** How the service behaves now. It can be changed while it runs: a request is served as was set when it came. */
export class BehaviourSwitch {
  #preset: PresetName = 'plain';
  #current: Behaviour = readBehaviour({});
  #isChanged = false;

  /** What holds now. */
  get current(): Behaviour {
    return this.#current;
  }

  get state(): BehaviourState {
    const { current: behaviour } = this;
    return { preset: this.#preset, isChanged: this.#isChanged, behaviour, presets: PRESETS };
  }

  /** Sets all of it anew. Throws a ConfigError for a preset or a setting that is wrong; then nothing changes. */
  change({ preset = this.#preset, behaviour = {} }: BehaviourChange): void {
    if (!isPresetName(preset)) throw refusal('preset', `one of ${Object.keys(PRESETS).join(', ')}`, preset);
    const ofPreset = readBehaviour(PRESETS[preset].behaviour);
    const current = readBehaviour({ ...PRESETS[preset].behaviour, ...readGiven(behaviour) });
    this.#preset = preset;
    this.#current = current;
    this.#isChanged = JSON.stringify(current) !== JSON.stringify(ofPreset);
  }
}

/** The settings that are given: whoever leaves one out, or names it without a value, means that of the preset. */
function readGiven(behaviour: BehaviourSettings): BehaviourSettings {
  readBehaviour(behaviour);
  return Object.fromEntries(Object.entries(behaviour).filter(([, value]) => value !== undefined));
}
