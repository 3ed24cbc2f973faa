import { randomUUID } from 'node:crypto';
import { CUSTOMER_READ_PATH, EVENTS_PATH } from '@sluice/protocol';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../src/index.ts';
import { Account } from '../src/running/account.ts';
import { ask, event, post, readCustomer, send, sendEvents, temporaryDirectory } from './service.ts';

const ADA = { email: 'ada@example.com' };

describe('requests', () => {
  it('are kept with what they brought, the newest first', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA] });
    const uuid = randomUUID();
    await sendEvents(emulator, event({ uuid }), event());
    await sendEvents(emulator, event({ uuid }), event());
    await readCustomer(emulator, ADA.email);
    const body = JSON.stringify({ batch: [event({ uuid }), event()] });
    const rest = {
      receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      durationMs: expect.any(Number),
      ...{ method: 'POST', status: 200, keyName: 'default', userAgent: 'node', error: null },
      ...{ isTaken: true, fault: null },
    };
    const batch = { ...rest, path: EVENTS_PATH, bytes: body.length, events: 2 };
    const none = { events: null, repeated: null, firstEvent: null };
    expect(await emulator.requests()).toEqual([
      {
        ...rest,
        id: 3,
        path: CUSTOMER_READ_PATH,
        bytes: '{"primary_key":"ada@example.com"}'.length,
        ...none,
      },
      { ...batch, id: 2, repeated: 1, firstEvent: 3 },
      { ...batch, id: 1, repeated: 0, firstEvent: 1 },
    ]);
  });

  it('that are refused are kept with the words of their answer', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const { baseUrl, apiUrl, apiKey } = emulator;
    const answers = [
      await post(baseUrl + EVENTS_PATH, 'canary', '{}'),
      await send(emulator, '{"batch":['),
      await send(emulator, { batch: [event(), { ...event(), source: '' }] }),
      await readCustomer(emulator, 'nobody@example.com'),
      await ask(baseUrl + EVENTS_PATH),
      await post(baseUrl + EVENTS_PATH.slice(0, -1), apiKey, '{}'),
      await post(`${apiUrl}/customers/raed`, apiKey, '{}'),
    ];
    const rows = await emulator.requests({ outcome: 'refused' });
    expect(rows.map(({ status, error }) => ({ status, body: { error } })).toReversed()).toEqual(
      answers.map(({ status, body }) => ({ status, body })),
    );
    expect(JSON.stringify(rows)).not.toContain('canary');
    expect(rows.map(({ keyName }) => keyName).toReversed()).toEqual([
      null,
      'default',
      'default',
      'default',
      null,
      null,
      null,
    ]);
    expect(await emulator.requests({ outcome: 'taken' })).toEqual([]);
  });

  it('are those of the interface alone: not preflights, nor what the operator asks', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    await ask(emulator.baseUrl + EVENTS_PATH, {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    });
    await ask(`${emulator.apiUrl}/emulator/status`);
    await ask(`${emulator.apiUrl}/emulator/counts`, { headers: { authorization: 'Api-Key x' } });
    expect(await emulator.requests()).toEqual([]);
  });

  it('are found by outcome, and as many as one wants', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    for (const source of ['custom', '', 'mobile', '']) await sendEvents(emulator, event({ source }));
    const ids = async (query: Parameters<typeof emulator.requests>[0]) =>
      (await emulator.requests(query)).map(({ id }) => id);
    expect(await ids({ outcome: 'taken' })).toEqual([3, 1]);
    expect(await ids({ outcome: 'refused', limit: 1 })).toEqual([4]);
    expect(await ids({ limit: 3 })).toEqual([4, 3, 2]);
    await expect(emulator.requests({ outcome: 'lost' as 'taken' })).rejects.toThrow(
      'outcome must be "taken", "refused" or "fault", got string "lost"',
    );
  });

  it('are taken where the service took them, whatever the status says', async () => {
    const behaviour = { badEvents: 'leave-out', partlyAcceptedStatus: 422 } as const;
    await using emulator = await startEmulator({ primaryKey: 'email', customers: [ADA], behaviour });
    await sendEvents(emulator, event(), event({ source: '' }));
    await readCustomer(emulator, ADA.email);
    for (const status of [200, 302]) {
      using _ = emulator.fail({ kind: 'status', status });
      await sendEvents(emulator, event());
      await readCustomer(emulator, ADA.email);
    }
    const taken = await emulator.requests({ outcome: 'taken' });
    expect(taken).toMatchObject([
      { id: 2, status: 200 },
      { id: 1, status: 422, firstEvent: 1 },
    ]);
  });

  it('that an earlier version kept are taken by their status', async () => {
    const account = new Account();
    const row = { status: 200, error: null };
    account.database.run('INSERT INTO requests (id, row) VALUES (1, ?)', JSON.stringify(row));
    expect(account.requests.list({ outcome: 'taken' }).rows).toMatchObject([{ id: 1 }]);
    await account.close();
  });

  it('are kept with their events over a restart, and read on from before one', async () => {
    const data = temporaryDirectory();
    const first = await startEmulator({ data, primaryKey: 'email' });
    await sendEvents(first, event());
    await first.close();
    const second = await startEmulator({ data });
    await sendEvents(second, event());
    await second.close();
    const account = new Account({ data });
    const { rows, next } = account.requests.list({ limit: 1 });
    expect({ rows, next }).toMatchObject({ rows: [{ id: 2, firstEvent: 2 }], next: 2 });
    expect(account.requests.list({ before: 2 })).toMatchObject({ rows: [{ id: 1 }], next: null });
    expect(account.requests.get(1)).toMatchObject({ id: 1, events: 1 });
    expect(account.requests.get(3)).toBeUndefined();
    await account.close();
  });
});
