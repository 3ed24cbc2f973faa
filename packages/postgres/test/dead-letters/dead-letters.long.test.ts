import type { DeadLetter, Tracker } from '@sluice/core';
import { expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { ADA, describeFleet } from '../bench/fleet.ts';
import { makeJournal, SHORT } from '../bench/journals.ts';
import { startOwner } from '../children/owner.ts';

const KIB = 1024;

describeFleet('The dead letters of a forwarder', (fleet) => {
  const letters = () =>
    fleet.count('parcel', `slot in (select id from ${fleet.schema}.slot where part = 'dead-letters')`);
  const kept = (count: number) => vi.waitFor(async () => expect(await letters()).toBe(count), PATIENCE);
  /** The service takes the others: one that took none would be at fault itself. */
  const refuse = (numbers: string) =>
    fleet.emulator.fail({ kind: 'poison', pattern: `"number":[${numbers}][,}]` });
  const track = (tracker: Tracker, name: string, count: number) => {
    for (let number = 0; number < count; number += 1) tracker.track(name, { number }, ADA);
  };

  async function read(tracker: Tracker): Promise<DeadLetter[]> {
    const found: DeadLetter[] = [];
    for await (const letter of tracker.deadLetters.list()) found.push(letter);
    return found;
  }

  /** Events that come into the tracker are delivered, refused or wait. */
  function expectBalance(tracker: Tracker): void {
    const { accepted, deadLettered, delivered, dropped, pending, recovered } = tracker.stats();
    const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
    expect(accepted + recovered).toBe(delivered + deadLettered + lost + pending);
  }

  it('survive its crash: the next one lists and replays them, and sends none by itself', async () => {
    const fault = refuse('0-2');
    const owner = await startOwner(fleet, 'refused', 10);
    await kept(3);
    await vi.waitFor(async () => expect(await fleet.count('parcel')).toBe(3), PATIENCE);
    await owner.kill();
    fault.stop();
    const next = fleet.tracker();
    await vi.waitFor(async () => expect(await next.deadLetters.count()).toBe(3), PATIENCE);
    await next.flush();
    expect(next.stats()).toMatchObject({ recovered: 0, delivered: 0, pending: 0 });
    const found = await read(next);
    expect(found.map(({ event }) => event.event)).toEqual(['refused', 'refused', 'refused']);
    expect(found.map(({ status }) => status)).toEqual([422, 422, 422]);
    expect(await next.deadLetters.replay()).toBe(3);
    expect(await fleet.delivered('refused', 10)).toBe(10);
    await next.flush();
    expect(next.stats()).toMatchObject({ recovered: 3, delivered: 3, deadLettered: 0, pending: 0 });
    expectBalance(next);
    expect(await fleet.count('parcel')).toBe(0);
  });

  it('are kept for events that it took from others too', async () => {
    refuse('0-1');
    await fleet.fillOutbox('left', 10);
    const forwarder = fleet.tracker({ outbox: true });
    await kept(2);
    await forwarder.flush();
    expect(await fleet.count('outbox')).toBe(0);
    expect(forwarder.stats()).toMatchObject({ recovered: 10, delivered: 8, deadLettered: 2, pending: 0 });
    expectBalance(forwarder);
  });

  it('are its own while it lives, and are found by the next one at once when it was closed', async () => {
    refuse('0');
    const owner = fleet.tracker({}, {}, SHORT);
    track(owner, 'mine', 10);
    await kept(1);
    const until = await fleet.leasedUntil();
    const other = fleet.tracker();
    expect(await other.deadLetters.count()).toBe(0);
    await expect.poll(() => fleet.isPast(until)).toBe(true);
    const third = fleet.tracker();
    expect(await third.deadLetters.count()).toBe(0);
    expect(await other.deadLetters.count()).toBe(0);
    const [id] = (await read(owner)).map((letter) => letter.id);
    // One that lives would take them.
    await Promise.all([owner, other, third].map((tracker) => tracker.close()));
    const next = fleet.tracker();
    expect((await read(next)).map((letter) => letter.id)).toEqual([id]);
    expect(await next.deadLetters.purge()).toBe(1);
    expect(await letters()).toBe(0);
  });

  it('are taken by a tracker that was there before', async () => {
    refuse('0');
    const other = fleet.tracker();
    expect(await other.deadLetters.count()).toBe(0);
    const owner = await startOwner(fleet, 'passed', 10);
    await kept(1);
    await owner.kill();
    await vi.waitFor(async () => expect(await other.deadLetters.count()).toBe(1), PATIENCE);
  });

  it('stay within their bounds, also with those of others: the oldest go', async () => {
    fleet.emulator.fail({ kind: 'poison', pattern: 'large' });
    const deadLetters = { maxBytes: 64 * KIB };
    const refuseLarge = async (tracker: Tracker) => {
      track(tracker, 'small', 10);
      for (let number = 0; number < 5; number += 1)
        tracker.track('large', { number, text: 'x'.repeat(8 * KIB) }, ADA);
      await tracker.flush();
      expect(tracker.stats()).toMatchObject({ delivered: 10, deadLettered: 5, pending: 0 });
      expectBalance(tracker);
    };
    const ids = async (tracker: Tracker) => (await read(tracker)).map(({ id }) => id);
    const first = fleet.tracker({ compress: false }, { deadLetters });
    await refuseLarge(first);
    const before = await ids(first);
    expect(before).toHaveLength(5);
    await first.close();
    const second = fleet.tracker({ compress: false }, { deadLetters });
    const drops: unknown[] = [];
    second.on('deadLettersDropped', (drop) => drops.push(drop));
    await refuseLarge(second);
    // Seven of them fit.
    expect(drops).toEqual(Array(3).fill({ reason: 'full', count: 1 }));
    const left = await ids(second);
    expect(left).toHaveLength(7);
    expect(left.slice(0, 2)).toEqual(before.slice(3));
    await kept(7);
    expect(second.deadLetters.bytes).toBeLessThanOrEqual(deadLetters.maxBytes);
  });

  it('are kept too if synchronous_commit is off', async () => {
    refuse('0');
    const { connectionString } = fleet.database.server;
    const tracker = fleet.tracker({ pool: { connectionString, options: '-c synchronous_commit=off' } });
    track(tracker, 'off', 10);
    await kept(1);
    await tracker.flush();
    expect(tracker.stats()).toMatchObject({ deadLettered: 1, pending: 0 });
  });

  it('cannot be those of a tracker that does not send, nor are held events kept with them', async () => {
    const publisher = makeJournal(fleet.database, fleet.schema, { send: false });
    const forwarder = makeJournal(fleet.database, fleet.schema);
    expect(publisher.part('dead-letters')).toBeUndefined();
    expect(forwarder.part('unidentified')).toBeUndefined();
    await Promise.all([publisher.close(), forwarder.close()]);
  });
});
