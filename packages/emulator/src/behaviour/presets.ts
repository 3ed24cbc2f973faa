import { oneOf, type Rule } from '@sluice/protocol/toolbox';
import { REFUSALS } from '../events/refusal.ts';
import type { BehaviourSettings } from './behaviour.ts';

/** A plausible reading of what the interface document does not show. */
export interface Preset {
  /** A description in one sentence. */
  readonly about: string;
  /** The settings that differ from the defaults. */
  readonly behaviour: BehaviourSettings;
}

/** Name of a preset. */
export type PresetName = 'plain' | 'strict' | 'quiet' | 'legacy';

const EVERYTHING_400 = Object.fromEntries(Object.keys(REFUSALS).map((code) => [code, 400]));

/** The presets. Only this table says what each of them does. */
export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  plain: {
    about:
      'Says all it knows: 200 with counts, a status for each refusal, errors in JSON, no limit but that of the body.',
    behaviour: {},
  },
  strict: {
    about: 'Has limits of events, body and rate, takes the good events of a batch and names the bad ones.',
    behaviour: {
      acceptedStatus: 202,
      badEvents: 'leave-out',
      partlyAcceptedStatus: 207,
      maxEvents: 100,
      maxBodyBytes: 64 * 1024,
      maxRequestsPerSecond: 50,
    },
  },
  quiet: {
    about: 'Says nothing but statuses: 204 for a batch, empty bodies, customers without primary_key.',
    behaviour: {
      acceptedStatus: 204,
      acceptedBody: 'empty',
      refusalBody: 'empty',
      answersPrimaryKey: false,
    },
  },
  legacy: {
    about:
      'Speaks in plain text: 201 with OK, 400 for whatever it refuses, 503 without Retry-After for too many requests.',
    behaviour: {
      acceptedStatus: 201,
      acceptedBody: 'text',
      refusalBody: 'text',
      statuses: { ...EVERYTHING_400, rate_limited: 503, internal_error: 500, injected_fault: 503 },
      maxRequestsPerSecond: 50,
      retryAfter: false,
    },
  },
};

/** The rule for the name of a preset. */
export const PRESET: Rule = oneOf(Object.keys(PRESETS));
