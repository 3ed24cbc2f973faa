import { describe, expect, it } from 'vitest';
import { PATIENCE } from '../../../testing/patience.ts';
import { VirtualClock } from '../../../testing/virtual-clock.ts';
import { awaitEvents } from '../src/events/awaited-events.ts';
import { MissingEventsError, startEmulator } from '../src/index.ts';
import { Account } from '../src/running/account.ts';
import { event, sendEvents } from './service.ts';

describe('waiting for events', () => {
  it('ends with them once there are enough', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const waiting = emulator.waitForEvents(3, { filter: { name: 'purchase' }, timeoutMs: PATIENCE.timeout });
    await sendEvents(emulator, event(), event({ event: 'other' }));
    await sendEvents(emulator, event(), event());
    expect((await waiting).map((stored) => stored.event.event)).toEqual(['purchase', 'purchase', 'purchase']);
    expect(await emulator.waitForEvents(1)).toHaveLength(4);
    expect(await emulator.waitForEvents(0, { filter: { name: 'none' } })).toEqual([]);
  });

  it('ends as their customer is added, and as the primary key is selected', async () => {
    const account = new Account();
    const clock = new VirtualClock();
    account.audience.selectPrimaryKey('email');
    account.events.add(account.events.stage([{ event: event(), text: JSON.stringify(event()) }]), 1);
    const wait = () => awaitEvents(account, clock, 1, { filter: { attributed: true } });
    const first = wait();
    account.audience.addCustomers([{ email: 'ada@example.com', phone: '7' }]);
    expect(await first).toHaveLength(1);
    account.audience.selectPrimaryKey('phone');
    const second = wait();
    account.audience.selectPrimaryKey('email');
    expect(await second).toHaveLength(1);
    expect(clock.pending).toBe(0);
    await account.close();
  });

  it('ends with what is missing where they do not come in time', async () => {
    const account = new Account(undefined);
    const clock = new VirtualClock();
    account.audience.selectPrimaryKey('email');
    const failure = awaitEvents(account, clock, 2, { filter: { name: 'purchase' }, timeoutMs: 1_000 }).catch(
      (error: unknown) => error,
    );
    clock.advance(1_000);
    expect(await failure).toBeInstanceOf(MissingEventsError);
    expect(await failure).toMatchObject({
      message: '0 of 2 events that match {"name":"purchase"} came within 1000 ms. There is no event at all.',
    });
    expect(clock.pending).toBe(0);
    await account.close();
  });

  it('says which events there are, and why a request was refused', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    await sendEvents(emulator, event({ event: 'a' }), event({ event: 'b' }), event({ event: 'b' }));
    await sendEvents(emulator, event({ source: '' }));
    await expect(emulator.waitForEvents(4, { timeoutMs: 0 })).rejects.toMatchObject({
      name: 'MissingEventsError',
      message:
        '3 of 4 events came within 0 ms. There are: b (2), a (1). ' +
        'The latest refusal: batch[0].source must be a non-empty string, got an empty string',
    });
  });

  it('can be given up, and ends with the emulator', async () => {
    const emulator = await startEmulator();
    const controller = new AbortController();
    const given = expect(emulator.waitForEvents(1, { signal: controller.signal })).rejects.toThrow('enough');
    controller.abort(new Error('enough'));
    await given;
    const closed = expect(emulator.waitForEvents(1)).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
    await emulator.close();
    await closed;
  });

  it.each<[unknown, object, string]>([
    [-1, {}, 'count must be a whole number from 0'],
    [1, { timeoutMs: -1 }, 'timeoutMs must be a whole number from 0'],
    [1, { filter: { nam: 'x' } }, 'filter.nam is not an option; there are name'],
    [1, { filter: 'purchase' }, 'filter must be an object, got string "purchase"'],
    [1, { name: 'purchase' }, 'name is not an option; there are filter, timeoutMs, signal'],
  ])('rejects nonsense: %j, %j', async (count, options, message) => {
    await using emulator = await startEmulator();
    await expect(emulator.waitForEvents(count as number, options)).rejects.toThrow(message);
  });
});
