import { expect } from 'vitest';
import { percent, print } from './figures.ts';
import { measure } from './scenario.ts';
import type { Service } from './service.ts';

/** What the service allows. */
export const PER_SECOND = 10;
/** Small batches: many requests with few events. More is offered than the service allows. */
const BATCH = 2;
const arrivals = [{ perSecond: 1.2 * PER_SECOND * BATCH, stepMs: 500 }];
const options = { batch: { maxEvents: BATCH } };

/** Share of the allowed requests that were accepted. Prints it. */
export async function shareOf(
  name: string,
  service: Service,
  seconds: number,
  allowed: number,
): Promise<number> {
  const { figures, trial } = await measure(name, { seconds, arrivals, service, options });
  const { accepted } = trial.between(0, seconds);
  const events = accepted.reduce((sum, request) => sum + request.events.length, 0);
  const share = events / (allowed * BATCH);
  const full = percent(accepted.length / allowed);
  print(`  ${percent(share)} of the allowed events, ${full} of the allowed requests`);
  expect(figures).toMatchObject({ deadLetters: 0, dropped: 0 });
  return share;
}
