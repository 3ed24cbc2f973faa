import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../src/index.ts';
import { admin, event, readCustomer, sendEvents, tellAdmin, temporaryDirectory } from './service.ts';

const customers = [{ email: 'ada@example.com' }];

describe.each(['in memory', 'in a directory'])('an emulator %s that is cleared', (where) => {
  const start = () =>
    startEmulator({
      primaryKey: 'email',
      customers,
      ...(where === 'in memory' ? {} : { data: temporaryDirectory() }),
    });

  it('has no events, requests and faults, and takes new ones as if it were new', async () => {
    await using emulator = await start();
    const uuid = randomUUID();
    await sendEvents(emulator, event({ uuid, payload: { sku: 'A-1' } }), event({ uuid }));
    await admin(emulator, '/events?text=A-1');
    const fault = emulator.fail({ kind: 'down', forMs: 60_000 });
    await emulator.clear();
    expect(fault.state).toBe('over');
    expect(await emulator.countEvents()).toEqual({ unique: 0, received: 0 });
    expect(await emulator.requests()).toEqual([]);
    expect((await admin(emulator, '/events?text=A-1')).body).toMatchObject({ rows: [] });
    const answer = await sendEvents(emulator, event({ uuid }));
    expect(answer).toMatchObject({ body: { accepted: 1, repeated: 0 } });
    expect(await emulator.waitForEvents(1)).toHaveLength(1);
  });

  it('counts on with the ids, also where the first batch has no right event', async () => {
    await using emulator = await start();
    await emulator.changeBehaviour({ behaviour: { badEvents: 'leave-out' } });
    await sendEvents(emulator, event(), event());
    await emulator.clear();
    const uuid = randomUUID();
    await sendEvents(emulator, event({ correlationKey: 'phone' }));
    await sendEvents(emulator, event({ uuid }), event({ uuid }), event());
    await sendEvents(emulator, event({ uuid }));
    expect(await emulator.requests()).toMatchObject([
      { events: 1, repeated: 1, firstEvent: null },
      { events: 3, repeated: 1, firstEvent: 3 },
      { events: 1, repeated: 0, firstEvent: null },
    ]);
    expect((await admin(emulator, '/events')).body).toMatchObject({
      rows: [
        { id: 4, deliveries: 1 },
        { id: 3, uuid, deliveries: 3 },
      ],
    });
    expect((await admin(emulator, '/events/3')).body).toMatchObject({
      repeats: [{ requestId: expect.any(Number) }, { requestId: expect.any(Number) }],
    });
    expect(await emulator.countEvents()).toEqual({ unique: 2, received: 4 });
  });

  it('keeps keys, the primary key and customers, unless it is told otherwise', async () => {
    await using emulator = await start();
    await emulator.clear();
    for (const wrong of [{ customers: 'true' }, { costumers: true }]) {
      expect((await tellAdmin(emulator, 'POST', '/clear', wrong)).status).toBe(422);
    }
    expect((await readCustomer(emulator, 'ada@example.com')).status).toBe(200);
    expect((await tellAdmin(emulator, 'POST', '/clear', { customers: true })).status).toBe(204);
    expect((await readCustomer(emulator, 'ada@example.com')).status).toBe(404);
    expect(emulator.primaryKey).toBe('email');
    await expect(emulator.clear({ costumers: true } as object)).rejects.toThrow('costumers');
  });
});
