import { describe, expect, it } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { VirtualClock } from '../../../../testing/virtual-clock.ts';
import { Tickets } from '../../src/identity/tickets.ts';
import { ADA, EVE, openSite, optionsOf, pageEvent, SECRET, service } from '../bench/site.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

describe('somebody who wants to write as somebody else', () => {
  it('same-site subdomain with Strict cookies: gets no ticket, though the browser sends it the cookies', async () => {
    const site = await openSite(optionsOf(await service()));
    const cookie = `session=${ADA}`;
    const origin = 'https://blog.shop.example';
    const asText = { origin, cookie, 'content-type': 'text/plain', 'sec-fetch-site': 'same-site' };
    expect(await site.send({}, asText)).toMatchObject({ status: 403, body: { error: 'wrong_origin' } });
    // What a browser without preflight requests would send.
    expect(await site.send({}, { ...asText, 'content-type': 'application/json' })).toMatchObject({
      status: 403,
    });
  });

  it('same-site subdomain that is listed as an origin: its cookies do not count', async () => {
    const origins = ['https://blog.shop.example'];
    const site = await openSite(optionsOf(await service(), { origins }));
    const headers = { origin: origins[0], cookie: `session=${ADA}`, 'sec-fetch-site': 'same-site' };
    const answered = await site.send({}, headers);
    expect(answered).toMatchObject({ status: 403, body: { error: 'wrong_origin' } });
    expect(site.relay.stats()).toMatchObject({ tickets: 0, refused: { wrong_origin: 1 } });
  });

  it('cross-site form: has no type that the relay takes', async () => {
    const site = await openSite(optionsOf(await service()));
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      const headers = { 'content-type': type, cookie: `session=${ADA}` };
      expect(await site.send('{}', headers)).toMatchObject({ status: 415, body: { error: 'wrong_type' } });
      const foreign = { ...headers, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
      expect(await site.send('{}', foreign)).toMatchObject({ status: 403 });
    }
  });

  it('sandboxed frame: its origin is null', async () => {
    const site = await openSite(optionsOf(await service()));
    const headers = { origin: 'null', cookie: `session=${ADA}`, 'sec-fetch-site': 'cross-site' };
    expect(await site.send({}, headers)).toMatchObject({ status: 403, body: { error: 'wrong_origin' } });
    expect(await site.send({}, { ...headers, 'sec-fetch-site': undefined })).toMatchObject({ status: 403 });
  });

  it('service worker after a change of user: each event is of whoever was signed in when it was tracked', async () => {
    const emulator = await service();
    const site = await openSite(optionsOf(emulator));
    const ticket = await site.ticket(ADA);
    const event = pageEvent();
    // The cookie jar has the next user's session by now.
    expect(await site.send({ batch: [event], ticket }, { cookie: `session=${EVE}` })).toMatchObject({
      status: 202,
      body: { taken: 1, refused: [] },
    });
    expect(await emulator.waitForEvents(1, { timeoutMs: PATIENCE.timeout })).toMatchObject([
      { event: { uuid: event.uuid, correlationValue: ADA } },
    ]);
  });

  it('two tabs with two accounts: each ticket writes for its own customer', async () => {
    const emulator = await service();
    const site = await openSite(optionsOf(emulator));
    const tickets = await Promise.all([ADA, EVE].map((customer) => site.ticket(customer)));
    const events = Array.from({ length: 20 }, () => pageEvent());
    const sent = events.map((event, index) => site.send({ batch: [event], ticket: tickets[index % 2] }));
    for (const { status } of await Promise.all(sent)) expect(status).toBe(202);
    await emulator.waitForEvents(20, { timeoutMs: PATIENCE.timeout });
    const own = (await emulator.events({ correlationValue: ADA })).map(({ uuid }) => uuid).sort();
    expect(own).toEqual(
      events
        .filter((_, index) => index % 2 === 0)
        .map(({ uuid }) => uuid)
        .sort(),
    );
  });

  it('duplicate keys: no parser may see another customer than the relay', async () => {
    const emulator = await service();
    const site = await openSite(optionsOf(emulator));
    const ticket = await site.ticket(ADA);
    const { uuid } = pageEvent();
    const fields = `"event":"purchase","source":"custom","uuid":"${uuid}"`;
    const keys = `"correlationKey":"phone","correlationKey":"email"`;
    const event = `{"correlationValue":"${EVE}",${fields},${keys},"correlationValue":"${ADA}","correlationValue":"${EVE}"}`;
    const body = `{"batch":[${event}],"ticket":"${ticket}","ticket":"${ticket}"}`;
    expect(await site.send(body)).toMatchObject({ status: 202 });
    const [arrived] = await emulator.waitForEvents(1, { timeoutMs: PATIENCE.timeout });
    expect(arrived).toMatchObject({ event: { uuid, correlationKey: 'email', correlationValue: ADA } });
    expect(JSON.stringify(arrived)).not.toContain(EVE);
  });

  it("somebody else's uuid first: swallows nothing", async () => {
    const emulator = await service();
    const site = await openSite(optionsOf(emulator));
    const event = pageEvent();
    const parcel = pageEvent().uuid;
    const [ada, eve] = [await site.ticket(ADA), await site.ticket(EVE)];
    const stolen = { batch: [{ ...event, event: 'junk' }], ticket: eve, parcel };
    expect(await site.send(stolen)).toMatchObject({ status: 202 });
    expect(await site.send({ batch: [event], ticket: ada, parcel })).toMatchObject({ status: 202 });
    await expect.poll(() => emulator.countEvents()).toMatchObject({ received: 2 });
    expect(site.relay.stats()).toMatchObject({ taken: 2, repeated: 0 });
  });

  it('other customer: a ticket says nothing of what the page writes', async () => {
    const emulator = await service();
    const site = await openSite(optionsOf(emulator));
    const ticket = await site.ticket(ADA);
    await site.send({ batch: [pageEvent({ correlationKey: 'phone', correlationValue: EVE })], ticket });
    expect(await emulator.waitForEvents(1, { timeoutMs: PATIENCE.timeout })).toMatchObject([
      { event: { correlationKey: 'email', correlationValue: ADA } },
    ]);
  });
});

describe('a ticket', () => {
  it('expired: counts until expires + acceptForMs by the clock of the relay, and not a millisecond longer', async () => {
    const clock = new VirtualClock();
    const site = await openSite(optionsOf(await service(), { clock }));
    const { body } = await site.send({}, { cookie: `session=${ADA}` });
    expect(body).toMatchObject({ customer: ADA, expiresInMs: HOUR_MS });
    const { ticket } = body;
    clock.advance(HOUR_MS + 7 * DAY_MS);
    expect(await site.send({ batch: [pageEvent()], ticket })).toMatchObject({ status: 202 });
    clock.advance(1);
    expect(await site.send({ batch: [pageEvent()], ticket })).toMatchObject({
      status: 401,
      body: { error: 'ticket_expired' },
    });
  });

  it('forged: any change makes it invalid', async () => {
    const site = await openSite(optionsOf(await service()));
    const ticket = await site.ticket(ADA);
    const [signed = '', mac = ''] = ticket.split('.');
    const claims: unknown[] = JSON.parse(Buffer.from(signed, 'base64url').toString());
    const forge = (...parts: unknown[]) =>
      `${Buffer.from(JSON.stringify(parts)).toString('base64url')}.${mac}`;
    const forged = [
      forge(EVE, ...claims.slice(1)),
      forge(ADA, claims[1], Number.MAX_SAFE_INTEGER, claims[3]),
      `${signed}.${mac.slice(0, -2)}AA`,
      `${signed}.${'A'.repeat(43)}`,
      `${signed}.`,
      `.${mac}`,
      signed,
      '',
      ticket.repeat(100),
      { ticket },
      undefined,
    ];
    for (const each of forged) {
      const answered = await site.send({ batch: [pageEvent()], ticket: each });
      expect(answered, String(each)).toMatchObject({ status: 401, body: { error: 'ticket_invalid' } });
    }
    expect(await site.send({ batch: [pageEvent()], ticket })).toMatchObject({ status: 202 });
  });

  it('other audience: the ticket of another account with the same secret is not taken', async () => {
    const emulator = await service();
    const site = await openSite(optionsOf(emulator));
    const other = await openSite(optionsOf(emulator, { correlationKey: 'phone' }));
    const answered = await site.send({ batch: [pageEvent()], ticket: await other.ticket(ADA) });
    expect(answered).toMatchObject({ status: 401, body: { error: 'ticket_expired' } });
  });

  it('still counts after its secret was rotated, until that is gone from the list', async () => {
    const emulator = await service();
    const fresh = 'another secret of a relay, just as long';
    const [before, during, after] = await Promise.all(
      [SECRET, [fresh, SECRET], [fresh]].map((secret) => openSite(optionsOf(emulator, { secret }))),
    );
    const old = await before?.ticket();
    const ticket = await during?.ticket();
    const batch = [pageEvent()];
    expect(await during?.send({ batch, ticket: old })).toMatchObject({ status: 202 });
    expect(await after?.send({ batch, ticket })).toMatchObject({ status: 202 });
    expect(await after?.send({ batch, ticket: old })).toMatchObject({ body: { error: 'ticket_expired' } });
  });

  it('does not reveal its secret, and has no character that JSON escapes', () => {
    const tickets = new Tickets({ secrets: [SECRET], audience: 'a', ticketMs: 1, acceptForMs: 0 });
    expect(tickets.issue(`"'\\<ä>${ADA}`, 0)).toMatch(/^[\w.-]+$/);
  });

  it('is not made for nobody, for a customer that is too long, or while identify() fails, also if the log fails too', async () => {
    const logged: object[] = [];
    const error = (data: object) => {
      logged.push(data);
      throw new Error('the disk of the log is full');
    };
    const logger = { debug() {}, info() {}, warn() {}, error };
    const answers = [undefined, null, '', 'x'.repeat(2_000), new Error('the session store is down')];
    const identify = () => {
      const next = answers.shift();
      if (next instanceof Error) throw next;
      return next;
    };
    const site = await openSite(optionsOf(await service(), { identify, logger }));
    for (let count = 0; count < 4; count += 1) {
      expect(await site.send({})).toMatchObject({ status: 401, body: { error: 'no_customer' } });
    }
    expect(await site.send({})).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(logged).toMatchObject([{ err: { message: 'the session store is down' } }]);
  });
});

it('identify() that returns no text fails, and the log says so: nobody else would learn of it', async () => {
  const logged: object[] = [];
  const error = async (data: object) => {
    logged.push(data);
    throw new Error('the log cannot be reached');
  };
  const logger = { debug() {}, info() {}, warn() {}, error };
  const site = await openSite(optionsOf(await service(), { identify: () => 42 as never, logger }));
  expect(await site.send({})).toMatchObject({ status: 503, body: { error: 'busy' } });
  expect(logged).toMatchObject([
    { err: { message: 'identify() must return a text or nothing, not a value of type number' } },
  ]);
});

describe('enforcement', () => {
  it('observe: takes events without a ticket for the customer that the page names, and counts them', async () => {
    const emulator = await service();
    const site = await openSite(optionsOf(emulator, { enforcement: 'observe' }));
    const ticket = await site.ticket(ADA);
    const named = { correlationValue: EVE };
    expect(await site.send({ batch: [pageEvent(named)] })).toMatchObject({ status: 202, body: { taken: 1 } });
    expect(await site.send({ batch: [pageEvent(named)], ticket })).toMatchObject({ status: 202 });
    const nameless = await site.send({ batch: [pageEvent()] });
    expect(nameless.body.refused).toMatchObject([[0, expect.stringContaining('correlationValue')]]);
    await emulator.waitForEvents(2, { timeoutMs: PATIENCE.timeout });
    const counts = await emulator.countBy('correlationValue');
    expect(counts).toMatchObject([{ count: 1 }, { count: 1 }]);
    expect(site.relay.stats()).toMatchObject({ unproven: 1, taken: 2, invalid: 1 });
  });

  it('observe: tells a page of a listed origin to send without a ticket, and its cookies still get it none', async () => {
    const origins = ['https://shop.example'];
    const site = await openSite(optionsOf(await service(), { enforcement: 'observe', origins }));
    const headers = { origin: origins[0], cookie: `session=${ADA}`, 'sec-fetch-site': 'cross-site' };
    const { status, body } = await site.send({}, headers);
    expect({ status, body }).toEqual({
      status: 200,
      body: { expiresInMs: HOUR_MS, acceptForMs: 7 * DAY_MS, observe: true },
    });
    const foreign = { ...headers, origin: 'https://evil.example' };
    expect(await site.send({}, foreign)).toMatchObject({ status: 403, body: { error: 'wrong_origin' } });
  });
});
