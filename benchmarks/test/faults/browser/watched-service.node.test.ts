import { startEmulator } from '@sluice/emulator';
import { EVENTS_PATH, type Event } from '@sluice/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Treatment, WatchedService } from '../../../src/faults/browser/watched-service.ts';
import { numberedUuid } from '../../../src/processes/numbered-uuid.ts';

let emulator: Awaited<ReturnType<typeof startEmulator>>;
let service: WatchedService;

beforeEach(async () => {
  emulator = await startEmulator({ primaryKey: 'email' });
  service = new WatchedService(emulator.baseUrl);
  await service.open();
});

afterEach(async () => {
  await service[Symbol.asyncDispose]();
  await emulator.close();
});

function event(number: number): Event {
  const who = { correlationKey: 'email', correlationValue: 'ada@example.com' };
  return { event: 'numbered', ...who, source: 'custom', uuid: numberedUuid(7, number) };
}

function post(number: number, treatment: Treatment = 'passed'): Promise<Response> {
  service.treat = () => treatment;
  return fetch(`${service.baseUrl}${EVENTS_PATH}?life=7`, {
    method: 'POST',
    headers: { authorization: `Api-Key ${emulator.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ batch: [event(number)] }),
  });
}

describe('a service that is watched', () => {
  it('hands requests on, and knows who sent what, and that it was answered', async () => {
    const answer = await post(1);
    await answer.text();
    expect(answer.ok).toBe(true);
    await expect.poll(() => service.taken[0]?.answeredAt).toBeGreaterThan(0);
    expect(service.taken[0]).toMatchObject({ life: 7, uuids: new Set([numberedUuid(7, 1)]) });
    expect(await emulator.countEvents()).toMatchObject({ received: 1, unique: 1 });
  });

  it('can break off after the events arrived: nobody can know then that they did', async () => {
    await expect(post(2, 'deaf')).rejects.toThrow();
    expect(service.taken).toMatchObject([{ life: 7, answeredAt: undefined }]);
    expect(await emulator.countEvents()).toMatchObject({ received: 1 });
  });

  it('can break off and refuse before that', async () => {
    await expect(post(3, 'lost')).rejects.toThrow();
    expect((await post(4, 'refused')).status).toBe(503);
    expect(service.taken).toEqual([]);
    expect(await emulator.countEvents()).toMatchObject({ received: 0 });
  });

  it('can go away, and comes back where it was', async () => {
    const { baseUrl } = service;
    await service.close();
    await expect(post(5)).rejects.toThrow();
    await service.open();
    expect(service.baseUrl).toBe(baseUrl);
    expect((await post(6)).ok).toBe(true);
  });
});
