import { expect, it } from 'vitest';
import { Observation } from '../../src/faults/outage/observation.ts';

const BACK_AT = 1_000;

function observed() {
  const observation = new Observation({ clients: 1, probedFrom: 0, backAt: BACK_AT });
  const arrive = (number: number, trackedAt: number, now: number) => {
    const timestamp = new Date(trackedAt).toISOString();
    const body = JSON.stringify({ batch: [{ timestamp, payload: { client: 0, number } }] });
    observation.taken(0, Buffer.from(body), now);
  };
  const track = (now: number) => observation.track(0, now);
  return { observation, track, arrive };
}

it('has the age of a fresh event that arrives only after the backlog', () => {
  const { observation, track, arrive } = observed();
  const backlog = [track(0), track(0)] as const;
  arrive(backlog[0], 0, 1_100);
  const fresh = track(1_200);
  arrive(backlog[1], 0, 9_000);
  arrive(fresh, 1_200, 9_200);
  expect(observation.drainedAt).toBe(9_000);
  expect(observation.ages.own).toEqual([8_000]);
});

it('has no age of an event that was tracked before its client was back, or after the backlog', () => {
  const { observation, track, arrive } = observed();
  const backlog = track(0);
  const early = track(1_050);
  arrive(backlog, 0, 1_100);
  const late = track(1_200);
  arrive(early, 1_050, 1_300);
  arrive(late, 1_200, 1_300);
  expect(observation.ages).toEqual({ own: [], newcomers: [] });
});
