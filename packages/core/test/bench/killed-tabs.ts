import { expect } from 'vitest';
import type { FakeOrigin } from './fake-origin.ts';
import { answered } from './scripted-transport.ts';

const MINUTE = 60_000;

/** Tabs track and are killed, as the seed decides, while the service fails and refuses. No event may be lost or arrive twice. */
export async function killTabs(origin: FakeOrigin, seed: number): Promise<void> {
  const random = randomOf(seed);
  const pick = (count: number) => Math.floor(random() * count);
  const sizes = [7, 30, 500];
  const open = () => origin.openTab({ batch: { maxWaitMs: 100, maxEvents: sizes[pick(3)] ?? 500 }, random });
  const tabs = Array.from({ length: 5 }, open);
  /** The part of the requests for which the service works. */
  let works = 1;
  const isBad = (event: string) => event === 'bad';
  origin.respond = async (events) => {
    if (random() >= works) return answered(503);
    return answered(events.some(({ event }) => isBad(event)) ? 400 : 200);
  };
  if (seed % 2 === 0) origin.losesMessage = () => random() < 0.3;
  const mayComeTwice = new Set<string>();
  for (let step = 0; step < 120; step += 1) {
    const index = pick(5);
    const action = random();
    if (action < 0.6) tabs[index]?.track(1 + pick(60), random() < 0.1 ? 'bad' : 'good');
    else if (action < 0.7) works = [0, 0.5, 1, 1][pick(4)] ?? 1;
    else if (action < 0.85) {
      tabs[index]?.kill();
      for (const uuid of tabs[index]?.uncertain ?? []) mayComeTwice.add(uuid);
      tabs[index] = open();
    }
    await origin.pass(pick(3) === 0 ? pick(5_000) : pick(300), 1 + pick(500));
    for (const { imbalance } of tabs) expect(imbalance).toBe(0);
  }
  works = 1;
  // If many events are refused and no others are taken, the sender blames the service: 250 of them take about 40 rounds.
  const isPending = () => tabs.some(({ tracker }) => tracker.stats().pending > 0);
  for (let round = 0; round < 400 && isPending(); round += 1) {
    for (const tab of tabs) tab.track(20, 'good');
    await origin.pass(5 * MINUTE, 1_000);
  }
  for (const tab of tabs) expect([tab.tracker.stats().pending, tab.imbalance]).toEqual([0, 0]);
  const lost = [...origin.committed].filter(
    (uuid) => !origin.received.has(uuid) && !origin.refused.has(uuid),
  );
  const doubled = [...origin.received].filter(([uuid, times]) => times > 1 && !mayComeTwice.has(uuid));
  expect({ lost, doubled }).toEqual({ lost: [], doubled: [] });
}

/** Random numbers from 0 (inclusive) to 1 (exclusive), the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}
