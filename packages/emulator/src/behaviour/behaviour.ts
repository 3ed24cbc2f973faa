import { flag, oneOf, type Rule, type Rules, readRules, whole } from '@sluice/protocol/toolbox';
import { REFUSALS, type RefusalCode } from '../events/refusal.ts';

/**
 * How the service answers where the interface document is silent. No setting contradicts the document. The defaults are those of
 * the preset `plain`. The file presets.ts has other plausible readings.
 */
export interface Behaviour {
  /** Status of the answer to an accepted batch, 200 to 299. Default 200. */
  readonly acceptedStatus: number;
  /**
   * Body of the answer to an accepted batch. `counts` is the JSON `{"accepted":N,"repeated":M}`, with `"rejected"` if events were
   * left out; `text` is `OK`; `empty` is no body. Default `counts`.
   */
  readonly acceptedBody: 'counts' | 'text' | 'empty';
  /**
   * What happens to a batch with wrong events. `refuse` refuses the whole batch. `leave-out` leaves out the wrong events and
   * accepts the others. If the body is `counts`, the answer then names the wrong ones:
   * `"rejected":[{"index","uuid"?,"code","message","field"}]`. Default `refuse`.
   */
  readonly badEvents: 'refuse' | 'leave-out';
  /** Status of the answer if events were left out, 200 to 499. Default 200. */
  readonly partlyAcceptedStatus: number;
  /** Statuses of refusals by their code, 400 to 599, if they differ from the table. Default none. */
  readonly statuses: Readonly<Partial<Record<RefusalCode, number>>>;
  /**
   * Body of a refusal: `json` is `{"error":{"code","message","field"?}}`, `text` is its message, `empty` is no body. Default
   * `json`.
   */
  readonly refusalBody: 'json' | 'text' | 'empty';
  /** Whether `primary_key` is added to the attributes in the answer to reading a customer. Default true. */
  readonly answersPrimaryKey: boolean;
  /** Maximum number of events in a batch, from 1; null for no limit. Default null. */
  readonly maxEvents: number | null;
  /** Maximum size of a request body in bytes, also after unpacking, from 1 to 268,435,456. Default 33,554,432 (32 MiB). */
  readonly maxBodyBytes: number;
  /** Maximum requests a second for each endpoint, from 1; as many may come at once. Null for no limit. Default null. */
  readonly maxRequestsPerSecond: number | null;
  /** Whether a refusal for too many requests has a Retry-After header, which says when to come back. Default true. */
  readonly retryAfter: boolean;
  /** Whether the service accepts gzipped events. If not, it refuses them. Default false. */
  readonly compression: boolean;
}

/** Settings of the behaviour. Each may be left out. */
export type BehaviourSettings = { readonly [Name in keyof Behaviour]?: Behaviour[Name] | undefined };

const DEFAULT_MAX_BODY_BYTES = 32 * 1024 * 1024;
// A body becomes one string, and a string can have at most about 512 Mi characters.
const LARGEST_MAX_BODY_BYTES = 256 * 1024 * 1024;

// A record by name: if a setting of the type is missing here, the code does not compile.
const RULES: Readonly<Record<keyof Behaviour, Rule | Rules>> = {
  acceptedStatus: whole(200, 200, 299),
  acceptedBody: oneOf(['counts', 'text', 'empty'], 'counts'),
  badEvents: oneOf(['refuse', 'leave-out'], 'refuse'),
  partlyAcceptedStatus: whole(200, 200, 499),
  statuses: Object.fromEntries(Object.keys(REFUSALS).map((code) => [code, whole(undefined, 400, 599)])),
  refusalBody: oneOf(['json', 'text', 'empty'], 'json'),
  answersPrimaryKey: flag(true),
  maxEvents: orNull(whole(undefined)),
  maxBodyBytes: whole(DEFAULT_MAX_BODY_BYTES, 1, LARGEST_MAX_BODY_BYTES),
  maxRequestsPerSecond: orNull(whole(undefined)),
  retryAfter: flag(true),
  compression: flag(false),
};

/** Completes settings with their defaults. Throws a {@link ConfigError} for the first wrong one. */
export function readBehaviour(settings: unknown): Behaviour {
  // The cast is safe: the rules have the names of the type, and they check each value.
  return readRules(RULES, 'behaviour', settings) as unknown as Behaviour;
}

function orNull([isValid, allowed]: Rule): Rule {
  return [(value) => value === null || isValid(value), `${allowed}, or null for no limit`, null];
}
