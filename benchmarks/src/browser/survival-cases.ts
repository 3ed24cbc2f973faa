import { CLOSED_TAB, KILLED, SCENARIOS, type Scenario } from './scenarios.ts';

/** One thing that happens to so many events. */
export interface SurvivalCase {
  readonly scenario: Scenario;
  readonly events: number;
  /** Between the last track() and what happens. Chromium writes localStorage to the disk some seconds after a page did. */
  readonly restMs: number;
}

const SHORT_REST_MS = 2_000;
const LONG_REST_MS = 10_000;

/** The events of the cases in which all that can happen does. */
export const MOST_EVENTS = 1_000;
/** All with the long rest; with the short one, too, where what is not on the disk is lost. */
export const ALL_ENDINGS: readonly SurvivalCase[] = SCENARIOS.flatMap((scenario) =>
  (scenario === KILLED ? [SHORT_REST_MS, LONG_REST_MS] : [LONG_REST_MS]).map((restMs) => ({
    ...{ scenario, events: MOST_EVENTS, restMs },
  })),
);
/** What is lost may depend on how much there is. */
export const ALL_COUNTS: readonly SurvivalCase[] = [300, 500, MOST_EVENTS].map((events) => ({
  ...{ scenario: CLOSED_TAB, events, restMs: LONG_REST_MS },
}));
/** All that is measured, each once. */
export const CASES: readonly SurvivalCase[] = [
  ...ALL_ENDINGS,
  ...ALL_COUNTS.filter(({ events }) => events !== MOST_EVENTS),
];
/** To see that the harness works. */
export const QUICK_CASES: readonly SurvivalCase[] = SCENARIOS.map((scenario) => ({
  ...{ scenario, events: 200, restMs: 500 },
}));

/** As in the titles of tables: `after SIGKILL, 2 s`. */
export function endingTitle({ scenario, restMs }: SurvivalCase): string {
  return `${scenario.title}, ${restMs / 1_000} s`;
}

/** As in the names of rows: `after SIGKILL, 2 s, of 1,000`. */
export function caseTitle(one: SurvivalCase): string {
  return `${endingTitle(one)}, of ${one.events.toLocaleString('en')}`;
}
