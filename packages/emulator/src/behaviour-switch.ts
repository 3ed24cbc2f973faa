import { ConfigError, refusal } from '@sluice/protocol';
import type { BehaviourChange, BehaviourState } from './admin/contract.ts';
import { type Behaviour, type BehaviourSettings, readBehaviour } from './behaviour.ts';
import { checkNames } from './known-names.ts';
import { isPresetName, PRESETS, type PresetName } from './presets.ts';

/** Holds what was chosen of the behaviour, longer than the process runs. Undefined where nothing ever was. */
export interface BehaviourMemory {
  behaviour: BehaviourChange | undefined;
}

/** How the service behaves now. It can be changed while it runs: a request is served as was set when it came. */
export class BehaviourSwitch {
  #preset: PresetName = 'plain';
  #current: Behaviour = readBehaviour({});
  #isChanged = false;
  #choice: BehaviourChange | undefined;
  #memory: BehaviourMemory | undefined;

  /** What holds now. */
  get current(): Behaviour {
    return this.#current;
  }

  /** The same, as pages show it, with the presets that there are. */
  get state(): BehaviourState {
    const { current: behaviour } = this;
    return { preset: this.#preset, isChanged: this.#isChanged, behaviour, presets: PRESETS };
  }

  /** Sets all of it anew, as a {@link BehaviourChange} says. Throws a ConfigError for what is wrong in it; then nothing changes. */
  change(change: unknown): void {
    checkNames('change', change, ['preset', 'behaviour']);
    const { preset = this.#preset, behaviour = {} }: BehaviourChange = change;
    if (!isPresetName(preset)) throw refusal('preset', `one of ${Object.keys(PRESETS).join(', ')}`, preset);
    const ofPreset = readBehaviour(PRESETS[preset].behaviour);
    const choice = { preset, behaviour: readGiven(behaviour) };
    const current = readBehaviour({ ...PRESETS[preset].behaviour, ...choice.behaviour });
    if (this.#memory !== undefined) this.#memory.behaviour = choice;
    this.#choice = choice;
    this.#preset = preset;
    this.#current = current;
    this.#isChanged = JSON.stringify(current) !== JSON.stringify(ofPreset);
  }

  /**
   * From now on keeps in `memory` what is chosen. What was chosen before holds, whole, and is kept; where nothing was, all
   * that `memory` holds does. Throws a ConfigError where that is of no use.
   */
  keepIn(memory: BehaviourMemory): void {
    const choice = this.#choice ?? memory.behaviour;
    this.#memory = memory;
    if (choice === undefined) return;
    try {
      this.change(choice);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const message = `${error.message}. It was kept in the data directory: name a preset to choose anew.`;
      throw new ConfigError(error.option, message, { cause: error });
    }
  }
}

/** The settings that are given: whoever leaves one out, or names it without a value, means that of the preset. */
function readGiven(behaviour: BehaviourSettings): BehaviourSettings {
  readBehaviour(behaviour);
  return Object.fromEntries(Object.entries(behaviour).filter(([, value]) => value !== undefined));
}
