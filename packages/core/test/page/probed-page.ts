import 'fake-indexeddb/auto';
import { expect, onTestFinished } from 'vitest';
import type { Outcome } from '../../src/send/http/transport.ts';
import { FakeOrigin, type FakeTab } from '../bench/fake-origin.ts';
import { failed } from '../bench/scripted-transport.ts';

export const SECOND = 1_000;
export const MINUTE: number = 60 * SECOND;
export const HOUR: number = 60 * MINUTE;
export const BLOCKED: Outcome = { ...failed(false), isBlocked: true } as Outcome;

/** A page whose requests fail, until a test has them answered otherwise. */
export class ProbedPage {
  readonly origin: FakeOrigin = new FakeOrigin();
  readonly tab: FakeTab;
  /** How many events each request had. */
  readonly sizes: number[] = [];
  answer: Outcome = failed(true);

  constructor(random: () => number = () => 1) {
    this.origin.respond = ({ length }) => {
      this.sizes.push(length);
      return this.answer;
    };
    this.tab = this.origin.openTab({ journal: 'memory', random, batch: { maxWaitMs: SECOND } });
    onTestFinished(() => this.origin.close());
  }

  fire(type: string): void {
    this.tab.view.dispatchEvent(new Event(type));
  }

  /** Tracks one event every ten seconds. */
  async use(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 10 * SECOND) {
      this.tab.track(1);
      await this.origin.pass(10 * SECOND, 5 * SECOND);
    }
  }
}

/** The most requests in one minute, from a moment on. */
export function mostInAMinute(times: readonly number[], from = 0): number {
  const later = times.filter((at) => at >= from);
  return Math.max(
    0,
    ...later.map((at) => later.filter((other) => other >= at && other < at + MINUTE).length),
  );
}

/** A page is used for an hour without a network: it may ask for it at most once a minute, after a short while. */
export async function beOfflineForAnHour(random: () => number): Promise<void> {
  const page = new ProbedPage(random);
  await page.use(HOUR);
  expect(mostInAMinute(page.origin.times)).toBeLessThanOrEqual(14);
  expect(mostInAMinute(page.origin.times, 2 * MINUTE)).toBe(1);
  expect(page.tab.tracker.stats()).toMatchObject({ pending: 360, delivered: 0 });
}
