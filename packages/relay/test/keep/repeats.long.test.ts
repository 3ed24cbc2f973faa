import { randomUUID } from 'node:crypto';
import { VirtualClock } from '@sluice/core/testing';
import { describe, expect, it } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { createRelay, toNodeHandler } from '../../src/index.ts';
import { ADA, directory, listen, openSite, optionsOf, pageEvent, Site, service } from '../bench/site.ts';

describe('what a page sends twice', () => {
  it('arrives once: the relay answers from its window', async () => {
    const emulator = await service();
    const site = await openSite(optionsOf(emulator));
    const body = { batch: [pageEvent(), pageEvent()], ticket: await site.ticket(), parcel: randomUUID() };
    for (let time = 0; time < 3; time += 1) {
      expect(await site.send(body)).toMatchObject({ status: 202, body: { taken: 2, refused: [] } });
    }
    await emulator.waitForEvents(2, { timeoutMs: PATIENCE.timeout });
    expect(await emulator.countEvents()).toMatchObject({ received: 2 });
    expect(site.relay.stats()).toMatchObject({ taken: 6, repeated: 4 });
  });

  it('at the same time arrives once, and no copy is answered before the events are durable', async () => {
    const emulator = await service();
    const site = await openSite(optionsOf(emulator));
    const ticket = await site.ticket();
    const bodies = Array.from({ length: 50 }, () => ({ batch: [pageEvent()], ticket, parcel: randomUUID() }));
    const answers = await Promise.all([...bodies, ...bodies].map((body) => site.send(body)));
    expect(answers.every(({ status }) => status === 202)).toBe(true);
    await emulator.waitForEvents(50, { timeoutMs: PATIENCE.timeout });
    expect(site.relay.stats().repeated).toBe(50);
    expect(await emulator.countEvents()).toMatchObject({ received: 50 });
  });

  it('days later arrives once, though others have sent meanwhile', async () => {
    const emulator = await service();
    const clock = new VirtualClock();
    const site = await openSite(optionsOf(emulator, { clock }));
    const batch = [pageEvent()];
    const ticket = await site.ticket();
    await site.send({ batch, ticket });
    for (let day = 1; day <= 6; day += 1) {
      await clock.advance(24 * 3_600_000);
      await site.send({ batch: [pageEvent()], ticket: await site.ticket() });
    }
    expect(await site.send({ batch, ticket: await site.ticket() })).toMatchObject({ status: 202 });
    expect(site.relay.stats()).toMatchObject({ taken: 8, repeated: 1 });
  });

  it('under a new ticket of the same customer arrives once', async () => {
    const emulator = await service();
    const site = await openSite(optionsOf(emulator));
    const batch = [pageEvent()];
    await site.send({ batch, ticket: await site.ticket() });
    await site.send({ batch, ticket: await site.ticket() });
    expect(site.relay.stats().repeated).toBe(1);
  });

  it('with other events beside it: those are taken', async () => {
    const emulator = await service();
    const site = await openSite(optionsOf(emulator));
    const ticket = await site.ticket();
    const [old, fresh] = [pageEvent(), pageEvent()];
    await site.send({ batch: [old], ticket });
    const { body } = await site.send({ batch: [old, pageEvent({ event: '' }), fresh, fresh], ticket });
    expect(body).toMatchObject({ taken: 3, refused: [[1, expect.any(String)]] });
    await emulator.waitForEvents(2, { timeoutMs: PATIENCE.timeout });
    expect(await emulator.countEvents()).toMatchObject({ received: 2 });
  });

  it('to the next process arrives once', async () => {
    const emulator = await service();
    const options = { ...optionsOf(emulator), directory: await directory() };
    const first = createRelay(options);
    const site = new Site(first, await listen(toNodeHandler(first)));
    const ticket = await site.ticket(ADA);
    const body = { batch: [pageEvent()], ticket, parcel: randomUUID() };
    expect(await site.send(body)).toMatchObject({ status: 202 });
    await first.close();
    expect(await site.send(body)).toMatchObject({ status: 503, body: { error: 'closing' } });
    const next = await openSite(options);
    const { ticket: _, ...unsigned } = body;
    expect(await next.send({ ...unsigned, ticket })).toMatchObject({ status: 202 });
    expect(await next.send({ batch: body.batch, ticket })).toMatchObject({ status: 202 });
    expect(next.relay.stats()).toMatchObject({ taken: 2, repeated: 2 });
    expect(await emulator.countEvents()).toMatchObject({ received: 1 });
  });
});
