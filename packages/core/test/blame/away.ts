import { expect } from 'vitest';
import { print } from './figures.ts';
import { measure } from './scenario.ts';
import type { Service } from './service.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Has a service be away for four hours: it may get at most one probe a minute. */
export async function goAway(name: string, answer: Service): Promise<void> {
  const service: Service = (request) => (request.at > MINUTE ? answer(request) : 200);
  const scenario = { seconds: 4 * HOUR, arrivals: 0.1, service };
  const { figures, trial } = await measure(`away: ${name}`, scenario);
  const times = trial.between(10 * MINUTE, 4 * HOUR).made.map(({ at }) => at);
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  print(
    `  ${times.length} requests after ten minutes, at least ${(Math.min(...gaps) / 1_000).toFixed(1)} s apart`,
  );
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(60_000);
  expect(figures).toMatchObject({ deadLetters: 0, dropped: 0 });
}
