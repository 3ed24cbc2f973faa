import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Event } from '@sluice/protocol';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../src/index.ts';
import { Account } from '../src/running/account.ts';
import { event, send, sendEvents } from './service.ts';

const EVENTS = 20_000;
const many = (fields: (at: number) => Partial<Event>) =>
  Array.from({ length: EVENTS }, (_, at) => event(fields(at)));

describe('a very large batch', () => {
  it('lets others have their turn while it is stored', async () => {
    const account = new Account();
    const batch = many(() => ({ uuid: randomUUID() })).map((each) => ({
      event: each,
      text: JSON.stringify(each),
    }));
    let isOver = false;
    const request = {
      ...{ receivedAt: '', method: 'POST', path: '/', status: 200, durationMs: 1, bytes: 1, events: EVENTS },
      ...{
        repeated: 0,
        firstEvent: 1,
        keyId: null,
        userAgent: null,
        error: null,
        isTaken: true,
        fault: null,
      },
    };
    const storing = account
      .ingest(batch, () => request)
      .finally(() => {
        isOver = true;
      });
    let turns = 0;
    for (; !isOver; await setImmediate()) {
      turns += 1;
      expect(isOver || [0, EVENTS]).toContain(account.events.count({ name: 'purchase' }).unique); // all, or nothing yet
    }
    expect(await storing).toMatchObject({ accepted: EVENTS, repeated: 0, firstEvent: 1, requestId: 1 });
    expect(turns).toBeGreaterThanOrEqual(20);
    await account.close();
  });

  it('is stored as if it were small: in order, and each uuid once', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const [known, twice] = [randomUUID(), randomUUID()];
    await sendEvents(emulator, event({ uuid: known }));
    const uuids = new Map([
      [3, known.toUpperCase()],
      [7, twice],
      [19_000, twice],
    ]);
    const batch = many((at) => ({
      event: `n${at % 7}`,
      uuid: uuids.get(at) ?? randomUUID(),
      payload: { at },
    }));
    const answer = await send(emulator, { batch });
    expect(answer).toMatchObject({ status: 200, body: { accepted: EVENTS, repeated: 2 } });
    expect(await emulator.countEvents()).toEqual({ unique: EVENTS - 1, received: EVENTS + 1 });
    const [first, second] = await emulator.events({ offset: 1, limit: 2 });
    expect([first?.event.payload, second?.event.payload]).toEqual([{ at: 0 }, { at: 1 }]);
    expect(await emulator.events({ uuid: twice })).toMatchObject([
      { deliveries: 2, event: { payload: { at: 7 } } },
    ]);
    expect(await emulator.requests({ limit: 1 })).toMatchObject([
      { events: EVENTS, repeated: 2, firstEvent: 2 },
    ]);
    expect(await sendEvents(emulator, event())).toMatchObject({ body: { accepted: 1, repeated: 0 } });
  });
});
