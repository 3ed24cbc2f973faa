import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, createServer as createBridge } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '@sluice/protocol/toolbox';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { peerOf } from '../../src/adapters/node.ts';
import { createRelay, toNodeHandler } from '../../src/index.ts';
import { Addresses, cut, isProxy, subnetOf } from '../../src/intake/addresses.ts';
import { Rates } from '../../src/intake/rates.ts';
import { ADA, directory, openSite, optionsOf, pageEvent, Site, service } from '../bench/site.ts';

const addressOf = (proxies: string[], peer: string | undefined, forwarded?: string) =>
  new Addresses(proxies).of({ peer, header: () => forwarded });

describe('the address of a client', () => {
  it('is that of the connection, unless a named proxy forwards it', () => {
    expect(addressOf([], '198.51.100.7', '203.0.113.9')).toBe('198.51.100.7');
    expect(addressOf(['10.0.0.0/8'], '198.51.100.7', '203.0.113.9')).toBe('198.51.100.7');
    expect(addressOf(['10.0.0.0/8'], '::ffff:10.1.2.3', '203.0.113.9')).toBe('203.0.113.9');
    expect(addressOf(['::1'], '::1', '2001:db8::9')).toBe('2001:db8::9');
    for (const proxies of [[], ['10.0.0.0/8']])
      expect(addressOf(proxies, undefined, '203.0.113.9')).toBeUndefined();
  });

  it('is the last one that no named proxy has: what stands before was written by the client', () => {
    expect(addressOf(['10.0.0.0/8'], '10.0.0.1', '1.1.1.1, 203.0.113.9, 10.0.0.2')).toBe('203.0.113.9');
    expect(addressOf(['10.0.0.0/8'], '10.0.0.1', '203.0.113.9, junk')).toBe('10.0.0.1');
    expect(addressOf(['10.0.0.0/8'], '10.0.0.1', '10.0.0.3,10.0.0.2')).toBe('10.0.0.3');
    expect(addressOf(['10.0.0.0/8'], '10.0.0.1')).toBe('10.0.0.1');
  });

  it.each([
    ['that a proxy on a Unix socket forwards, if any proxy is named', ['10.0.0.0/8'], '203.0.113.0'],
    ['unknown behind a Unix socket if no proxy is named', [], undefined],
  ])('is %s', async (_, proxies, address) => {
    const emulator = await service();
    const path = await directory();
    const context = { key: 'relay', address: true };
    const relay = createRelay({ ...optionsOf(emulator, { context, proxies }), directory: path });
    const server = createServer(toNodeHandler(relay));
    await once(server.listen(join(path, 'socket')), 'listening');
    const bridge = createBridge((socket) => socket.pipe(connect(join(path, 'socket'))).pipe(socket));
    await once(bridge.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(async () => {
      server.closeAllConnections();
      server.close();
      bridge.close();
      await relay.close({ timeoutMs: 0 });
    });
    const site = new Site(relay, `http://127.0.0.1:${Reflect.get(Object(bridge.address()), 'port')}`);
    const body = { batch: [pageEvent({ payload: {} })], ticket: await site.ticket() };
    await site.send(body, { 'x-forwarded-for': '1.1.1.1, 203.0.113.9, 10.0.0.2' });
    const [arrived] = await emulator.waitForEvents(1, { timeoutMs: PATIENCE.timeout });
    expect(arrived?.event.payload).toEqual({ relay: address === undefined ? {} : { address } });
  });

  it('is not known of a connection that the client has reset: what it wrote must not count', () => {
    const socket = { remoteAddress: undefined, localAddress: '127.0.0.1', destroyed: false };
    expect(peerOf(socket)).toBeUndefined();
    expect(peerOf({ ...socket, localAddress: undefined, destroyed: true })).toBeUndefined();
  });

  it('is without the port that some proxies add', () => {
    expect(addressOf(['10.0.0.0/8'], '10.0.0.1', '203.0.113.9:50123')).toBe('203.0.113.9');
    expect(addressOf(['10.0.0.0/8'], '10.0.0.1', '[2001:db8::9]:50123')).toBe('2001:db8::9');
    expect(addressOf(['10.0.0.0/8'], '10.0.0.1', '2001:db8::9')).toBe('2001:db8::9');
  });

  it('is cut to /24 or /48, and counts as a /64', () => {
    expect(cut('203.0.113.9')).toBe('203.0.113.0');
    expect(cut('2001:0db8:00AB:1::9')).toBe('2001:db8:ab::');
    expect(cut('::1')).toBe('0:0:0::');
    expect(subnetOf('2001:db8::9')).toBe('2001:db8:0:0::');
    expect(subnetOf('fe80::1:2:3:4%eth0')).toBe('fe80:0:0:0::');
    expect(subnetOf('203.0.113.9')).toBe('203.0.113.9');
  });

  it('of a proxy must be an address or a subnet', () => {
    expect(['10.0.0.1', '10.0.0.0/8', '::1', '2001:db8::/128'].every(isProxy)).toBe(true);
    expect(
      ['', 'proxy', '10.0.0.0/33', '::/129', '10.0.0.0/8/8', '10.0.0.0/x', '10.0.0/8'].some(isProxy),
    ).toBe(false);
  });
});

describe('rates', () => {
  it('let a minute of events through at once, then as many as in the time', () => {
    const rates = new Rates(60);
    const take = (who: string, events: number, now: number) => {
      rates.check(who, events, now);
      rates.count(who, events, now);
    };
    take('a', 60, 0);
    expect(() => take('a', 1, 0)).toThrow(expect.objectContaining({ word: 'too_many', retryAfterMs: 1_000 }));
    take('b', 60, 0);
    take('a', 2, 2_000);
    expect(() => take('a', 60, 30_000)).toThrow();
    take('a', 500, 120_000);
    // The clock was set back.
    take('a', 1, 0);
  });

  it('of a ticket and of an address are separate: 429 says how long to wait', async () => {
    const limits = { ticketEventsPerMinute: 10, addressEventsPerMinute: 30 };
    const site = await openSite(optionsOf(await service(), { limits, proxies: ['127.0.0.1'] }));
    const ticket = await site.ticket(ADA);
    const batch = Array.from({ length: 10 }, () => pageEvent());
    expect((await site.send({ batch, ticket })).status).toBe(202);
    const late = await site.send({ batch: [pageEvent()], ticket });
    expect(late).toMatchObject({ status: 429, body: { error: 'too_many' }, headers: { 'retry-after': '6' } });
    const other = await site.send({ batch, ticket: await site.ticket('eve@example.com') });
    expect(other.status).toBe(202);
    const third = await site.ticket('bob@example.com');
    expect((await site.send({ batch, ticket: third })).status).toBe(429);
    // A client behind the proxy has an address of its own, whatever it claims.
    const forwarded = { 'x-forwarded-for': '127.0.0.1, 203.0.113.9' };
    expect((await site.send({ batch, ticket: third }, forwarded)).status).toBe(202);
  });
});

describe('a request with more events than its address may send in a minute', () => {
  it('passes after a time of silence, although the request itself counts too', async () => {
    let now = 1_000_000;
    const clock = { ...systemClock, now: () => now };
    const limits = { addressEventsPerMinute: 10 };
    const site = await openSite(optionsOf(await service(), { limits, clock }));
    const ticket = await site.ticket();
    for (const count of [10, 20]) {
      const batch = Array.from({ length: count }, () => pageEvent());
      now += 120_000;
      expect((await site.send({ batch, ticket })).status).toBe(202);
      expect((await site.send({ batch, ticket })).status).toBe(429);
    }
  });
});

describe('context', () => {
  it('is under one name, and only what is switched on; the page cannot write it', async () => {
    const emulator = await service();
    const context = { key: 'relay', receivedAt: true, userAgent: true, address: true };
    const site = await openSite(optionsOf(emulator, { context, proxies: ['127.0.0.1'] }));
    const payload = { total: 1, relay: { address: '1.2.3.4', forged: true } };
    const headers = { 'user-agent': 'Browser/1', 'x-forwarded-for': '203.0.113.9' };
    await site.send({ batch: [pageEvent({ payload })], ticket: await site.ticket() }, headers);
    const [arrived] = await emulator.waitForEvents(1, { timeoutMs: PATIENCE.timeout });
    expect(arrived?.event.payload).toEqual({
      total: 1,
      relay: {
        received_at: expect.stringMatching(/^20.*Z$/),
        user_agent: 'Browser/1',
        address: '203.0.113.0',
      },
    });
  });

  it('has the first 512 characters of a User-Agent: a header of 16 KiB would be in each event of a request', async () => {
    const emulator = await service();
    const site = await openSite(optionsOf(emulator, { context: { key: 'relay', userAgent: true } }));
    const headers = { 'user-agent': `${'x'.repeat(512)}y` };
    await site.send({ batch: [pageEvent({ payload: {} })], ticket: await site.ticket() }, headers);
    const [arrived] = await emulator.waitForEvents(1, { timeoutMs: PATIENCE.timeout });
    expect(arrived?.event.payload).toEqual({ relay: { user_agent: 'x'.repeat(512) } });
  });

  it('is off by default', async () => {
    const emulator = await service();
    const site = await openSite(optionsOf(emulator));
    const payload = { relay: 'of the page' };
    await site.send({
      batch: [pageEvent({ payload }), pageEvent({ payload: undefined })],
      ticket: await site.ticket(),
    });
    const arrived = await emulator.waitForEvents(2, { timeoutMs: PATIENCE.timeout });
    expect(arrived.map(({ event }) => event.payload)).toEqual([payload, undefined]);
  });
});
