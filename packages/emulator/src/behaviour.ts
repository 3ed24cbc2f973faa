import { ConfigError, flag, oneOf, type Rule, readRules, refusal, whole } from '@sluice/protocol';
import { REFUSALS, type RefusalCode } from './refusal.ts';

/**
 * How the service answers where the interface document does not show it. The document is kept to in all of it. The
 * defaults are those of the preset `plain`; presets.ts names other plausible readings.
 */
export interface Behaviour {
  /** Status of the answer to a batch that was taken, 200 to 299. Default 200. */
  readonly acceptedStatus: number;
  /**
   * Body of the answer to a batch that was taken: `counts`, the JSON `{"accepted":N,"repeated":M}`, with `"rejected"` where
   * events were left out; `text`, which is `OK`; or `empty`. Default `counts`.
   */
  readonly acceptedBody: 'counts' | 'text' | 'empty';
  /**
   * What becomes of a batch in which events are wrong: `refuse` it whole, or `leave-out` those, take the others, and name
   * those in the answer, if its body has `counts`: `"rejected":[{"index","uuid"?,"code","message","field"}]`. Default `refuse`.
   */
  readonly badEvents: 'refuse' | 'leave-out';
  /** Status of the answer where events were left out, 200 to 499. Default 200. */
  readonly partlyAcceptedStatus: number;
  /** Statuses of refusals by their code, 400 to 599, where they are not those of the table. Default none. */
  readonly statuses: Readonly<Partial<Record<RefusalCode, number>>>;
  /** Body of a refusal: `json`, which is `{"error":{"code","message","field"?}}`; `text`, its message; or `empty`. Default `json`. */
  readonly refusalBody: 'json' | 'text' | 'empty';
  /** Whether a customer is answered with its `primary_key` beside the attributes. Default true. */
  readonly answersPrimaryKey: boolean;
  /** Most events of a batch, from 1; null for no limit. Default null. */
  readonly maxEvents: number | null;
  /** Largest request body in bytes, unpacked as well, from 1 to 268,435,456. Default 33,554,432 (32 MiB). */
  readonly maxBodyBytes: number;
  /** Most requests a second for each endpoint, with as many at once, from 1; null for no limit. Default null. */
  readonly maxRequestsPerSecond: number | null;
  /** Whether a request refused for the rate is told by Retry-After when to come back. Default true. */
  readonly retryAfter: boolean;
  /** Whether events may come gzipped; else they are refused. Default false. */
  readonly compression: boolean;
}

/** Settings of it, each of which may be left out. */
export type BehaviourSettings = { readonly [Name in keyof Behaviour]?: Behaviour[Name] | undefined };

const DEFAULT_MAX_BODY_BYTES = 32 * 1024 * 1024;
// A body becomes one string, and strings end near 512 Mi characters.
const LARGEST_MAX_BODY_BYTES = 256 * 1024 * 1024;

// By name, so that a setting added to the type and not here does not compile.
const RULES: Readonly<Record<keyof Behaviour, Rule>> = {
  acceptedStatus: whole(200, 200, 299),
  acceptedBody: oneOf('counts', ['counts', 'text', 'empty']),
  badEvents: oneOf('refuse', ['refuse', 'leave-out']),
  partlyAcceptedStatus: whole(200, 200, 499),
  statuses: [isStatuses, 'an object of statuses from 400 to 599 by codes of refusals', {}],
  refusalBody: oneOf('json', ['json', 'text', 'empty']),
  answersPrimaryKey: flag(true),
  maxEvents: orNull(whole(undefined)),
  maxBodyBytes: whole(DEFAULT_MAX_BODY_BYTES, 1, LARGEST_MAX_BODY_BYTES),
  maxRequestsPerSecond: orNull(whole(undefined)),
  retryAfter: flag(true),
  compression: flag(false),
};

/** A behaviour, complete, of settings that may be left out. Throws a {@link ConfigError} for the first that is wrong. */
export function readBehaviour(settings: unknown): Behaviour {
  // Each value is what its rule says, and the rules are of the type's names.
  return readRules(RULES, 'behaviour', settings) as unknown as Behaviour;
}

/** Throws a {@link ConfigError} where one of the settings that are options as well is wrong. */
export function checkShorthands(shorthands: object): void {
  const { maxBodyBytes, compression } = RULES;
  readRules({ maxBodyBytes, compression }, '', shorthands);
}

function orNull([isValid, allowed]: Rule): Rule {
  return [(value) => value === null || isValid(value), `${allowed}, or null for no limit`, null];
}

function isStatuses(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const [isStatus, allowed] = whole(undefined, 400, 599);
  for (const [code, status] of Object.entries(value)) {
    const option = `behaviour.statuses.${code}`;
    if (!Object.hasOwn(REFUSALS, code)) {
      const codes = Object.keys(REFUSALS).join(', ');
      throw new ConfigError(option, `${option} is not the code of a refusal; there are ${codes}`);
    }
    if (!isStatus(status)) throw refusal(option, allowed, status);
  }
  return true;
}
