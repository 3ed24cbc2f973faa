import { CLOSED_TAB, KILLED, SCENARIOS, type Scenario } from './scenarios.ts';

/** A scenario, and how many events it has. */
export interface SurvivalCase {
  readonly scenario: Scenario;
  readonly events: number;
  /** Time between the last track() and the end of the page. Chromium writes localStorage to disk some seconds after the page. */
  readonly restMs: number;
}

const SHORT_REST_MS = 2_000;
const LONG_REST_MS = 10_000;

/** Number of events in the cases that cover all scenarios. */
export const MOST_EVENTS = 1_000;
/** All scenarios with the long rest. SIGKILL also with the short rest, because it loses what is not on disk yet. */
export const ALL_ENDINGS: readonly SurvivalCase[] = SCENARIOS.flatMap((scenario) =>
  (scenario === KILLED ? [SHORT_REST_MS, LONG_REST_MS] : [LONG_REST_MS]).map((restMs) => ({
    ...{ scenario, events: MOST_EVENTS, restMs },
  })),
);
/** One scenario with different numbers of events: the loss may depend on the number. */
export const ALL_COUNTS: readonly SurvivalCase[] = [300, 500, MOST_EVENTS].map((events) => ({
  ...{ scenario: CLOSED_TAB, events, restMs: LONG_REST_MS },
}));
/** All measured cases, each once. */
export const CASES: readonly SurvivalCase[] = [
  ...ALL_ENDINGS,
  ...ALL_COUNTS.filter(({ events }) => events !== MOST_EVENTS),
];
/** Enough to check that the harness works. Each page sees that the service is down: what it sends as it is closed would be leased. */
export const QUICK_CASES: readonly SurvivalCase[] = SCENARIOS.map((scenario) => ({
  ...{ scenario, events: 200, restMs: 2 * SHORT_REST_MS },
}));

/** As shown in table titles: `after SIGKILL, 2 s`. */
export function endingTitle({ scenario, restMs }: SurvivalCase): string {
  return `${scenario.title}, ${restMs / 1_000} s`;
}

/** As shown in row names: `after SIGKILL, 2 s, of 1,000`. */
export function caseTitle(one: SurvivalCase): string {
  return `${endingTitle(one)}, of ${one.events.toLocaleString('en')}`;
}
