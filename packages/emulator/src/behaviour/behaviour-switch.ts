import { ConfigError } from '@sluice/protocol';
import { type Rule, readRules } from '@sluice/protocol/toolbox';
import type { BehaviourChange, BehaviourState } from '../admin/contract.ts';
import { isJsonObject } from '../events/json-text.ts';
import type { Database } from '../storage/database.ts';
import { type Behaviour, readBehaviour } from './behaviour.ts';
import { PRESET, PRESETS } from './presets.ts';

const RULES = { preset: PRESET, behaviour: [isJsonObject, 'an object'] satisfies Rule };

/**
 * The current behaviour of the service. It can change at any time. Each request is served with the behaviour that was set when
 * the request arrived.
 */
export class BehaviourSwitch {
  /** The current behaviour as pages show it. */
  state: BehaviourState = { preset: 'plain', isChanged: false, behaviour: readBehaviour({}) };
  readonly #database: Database;

  /** `choice` replaces what the database stores. Without one, the stored choice applies. Throws a ConfigError if that is invalid. */
  constructor(database: Database, choice: BehaviourChange | undefined) {
    this.#database = database;
    const stored = database.setting('behaviour');
    if (choice !== undefined) this.change(choice);
    else if (stored !== undefined) this.#restore(stored);
  }

  get current(): Behaviour {
    return this.state.behaviour;
  }

  /**
   * Replaces the whole behaviour, as a {@link BehaviourChange} says. Throws a ConfigError if the change is invalid; then nothing
   * changes.
   */
  change(change: unknown): void {
    const { preset = this.state.preset, behaviour = {} }: BehaviourChange = readRules(RULES, '', change);
    const ofPreset = readBehaviour(PRESETS[preset].behaviour);
    // For what is undefined, the preset applies.
    const given = Object.fromEntries(Object.entries(behaviour).filter(([, value]) => value !== undefined));
    const current = readBehaviour({ ...PRESETS[preset].behaviour, ...given });
    this.#database.set('behaviour', JSON.stringify({ preset, behaviour: given }));
    const isChanged = JSON.stringify(current) !== JSON.stringify(ofPreset);
    this.state = { preset, isChanged, behaviour: current };
  }

  #restore(stored: string): void {
    try {
      this.change(JSON.parse(stored));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const message = `${error.message}. It was kept in the data directory: name a preset to choose anew.`;
      throw new ConfigError(error.option, message, { cause: error });
    }
  }
}
