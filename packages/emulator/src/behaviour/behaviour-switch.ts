import { ConfigError } from '@sluice/protocol';
import { refusal } from '@sluice/protocol/toolbox';
import type { BehaviourChange, BehaviourState } from '../admin/contract.ts';
import type { Database } from '../storage/database.ts';
import { type Behaviour, type BehaviourSettings, readBehaviour } from './behaviour.ts';
import { checkNames } from './known-names.ts';
import { isPresetName, PRESETS, type PresetName } from './presets.ts';

/**
 * The current behaviour of the service. It can change at any time. Each request is served with the behaviour that was set when
 * the request arrived.
 */
export class BehaviourSwitch {
  #preset: PresetName = 'plain';
  #current: Behaviour = readBehaviour({});
  #isChanged = false;
  #choice: BehaviourChange | undefined;
  #memory: Database | undefined;

  get current(): Behaviour {
    return this.#current;
  }

  /** The current behaviour as pages show it, with the available presets. */
  get state(): BehaviourState {
    const { current: behaviour } = this;
    return { preset: this.#preset, isChanged: this.#isChanged, behaviour, presets: PRESETS };
  }

  /**
   * Replaces the whole behaviour, as a {@link BehaviourChange} says. Throws a ConfigError if the change is invalid; then nothing
   * changes.
   */
  change(change: unknown): void {
    checkNames('change', change, ['preset', 'behaviour']);
    const { preset = this.#preset, behaviour = {} }: BehaviourChange = change;
    if (!isPresetName(preset)) throw refusal('preset', `one of ${Object.keys(PRESETS).join(', ')}`, preset);
    const ofPreset = readBehaviour(PRESETS[preset].behaviour);
    const choice = { preset, behaviour: readGiven(behaviour) };
    const current = readBehaviour({ ...PRESETS[preset].behaviour, ...choice.behaviour });
    this.#memory?.set('behaviour', JSON.stringify(choice));
    this.#choice = choice;
    this.#preset = preset;
    this.#current = current;
    this.#isChanged = JSON.stringify(current) !== JSON.stringify(ofPreset);
  }

  /**
   * From now on stores the choice in `memory`. If a behaviour was already chosen, it replaces all that `memory` holds. If not,
   * the choice in `memory` applies. Throws a ConfigError if that choice is invalid.
   */
  keepIn(memory: Database): void {
    const stored = memory.setting('behaviour');
    const choice = this.#choice ?? (stored && JSON.parse(stored));
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

/** Checks the settings and removes undefined ones: for these, the preset applies. */
function readGiven(behaviour: BehaviourSettings): BehaviourSettings {
  readBehaviour(behaviour);
  return Object.fromEntries(Object.entries(behaviour).filter(([, value]) => value !== undefined));
}
