import { once } from 'node:events';
import { connect } from 'node:net';
import { inspect as nodeInspect } from 'node:util';
import { isSluiceError } from '@sluice/protocol';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startEmulator } from '../src/index.ts';
import { event, readCustomer, type Service, sendEvents } from './service.ts';

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

/** Expects a refused connection. A request may still be lost with a connection that was cut: then the next one is refused. */
async function expectRefused(request: () => Promise<unknown>): Promise<void> {
  const codeOf = (reason: unknown) => Object(Object(reason).cause).code;
  await expect.poll(() => request().then(() => 'it was answered', codeOf)).toBe('ECONNREFUSED');
}

/** Sends the head of a request, and waits until the emulator asks for the body. */
async function beginRequest(service: Service) {
  const body = JSON.stringify({ batch: [event()] });
  const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1').setEncoding('utf8');
  let received = '';
  const ended = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.on('error', () => {}); // a reset is an end, too
  const asked = new Promise<void>((resolve) => {
    socket.on('data', (text: string) => {
      received += text;
      if (received.startsWith(CONTINUE)) resolve();
    });
  });
  socket.write(
    'POST /api/events/batch/ HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: application/json\r\n' +
      `Authorization: Api-Key ${service.apiKey}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  await asked;
  return { ended, answer: () => received.slice(CONTINUE.length), finish: () => socket.write(body) };
}

/** Stops the timer after which a closing emulator cuts connections. */
function stopGrace(): void {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

describe('queries of the event tracker', () => {
  it('filter, page and count', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const names = ['a', 'b', 'a', 'c', 'a', 'b'];
    const sources = ['custom', 'mobile'];
    await sendEvents(
      emulator,
      ...names.map((name, index) =>
        event({ event: name, source: sources[index % 2] ?? '', correlationValue: `v${index % 4}` }),
      ),
    );
    const found = async (query: Parameters<typeof emulator.events>[0]): Promise<string> =>
      (await emulator.events(query)).map((each) => each.event.event).join('');
    expect(await found({})).toBe('abacab');
    expect(await found({ name: 'b' })).toBe('bb');
    expect(await found({ source: 'mobile' })).toBe('bcb');
    expect(await found({ source: 'mobile', correlationValue: 'v3' })).toBe('c');
    expect(await found({ limit: 2, offset: 1 })).toBe('ba');
    expect(await found({ limit: 0 })).toBe('');
    expect(await found({ name: "a' OR 1=1 --" })).toBe('');
    expect(await emulator.countEvents()).toEqual({ unique: 6, received: 6 });
    expect(await emulator.countBy('event')).toEqual([
      { value: 'a', count: 3 },
      { value: 'b', count: 2 },
      { value: 'c', count: 1 },
    ]);
    expect(await emulator.countBy('correlationValue', 1, { name: 'a' })).toEqual([{ value: 'v0', count: 2 }]);
  });

  it.each([
    [
      { nam: 'x' },
      'nam is not an option; there are name, correlationValue, source, uuid, attributed, limit, offset',
    ],
    [{ name: 7 }, 'name must be a string, got number 7'],
    [{ attributed: 'yes' }, 'attributed must be true or false, got string "yes"'],
    [{ limit: -1 }, 'limit must be a whole number from 0 to 9007199254740991, got number -1'],
    [{ offset: 0.5 }, 'offset must be a whole number from 0 to 9007199254740991, got number 0.5'],
  ])('reject nonsense: %o', async (query, message) => {
    await using emulator = await startEmulator();
    await expect(emulator.events(query as object)).rejects.toThrow(message);
  });

  it('reject wrong arguments of other kinds', async () => {
    await using emulator = await startEmulator();
    await expect(emulator.countEvents({ limit: 1 } as object)).rejects.toThrow('limit is not an option');
    await expect(emulator.countEvents(null as unknown as object)).rejects.toThrow(
      'options must be an object, got null',
    );
    await expect(emulator.requests({ outcom: 'taken' } as object)).rejects.toThrow('outcom is not an option');
    await expect(emulator.changeBehaviour({ maxEvents: 1 } as object)).rejects.toThrow(
      'maxEvents is not an option',
    );
    await expect(emulator.addCustomers({ email: 'a' } as unknown as [])).rejects.toThrow(
      'an iterable of objects',
    );
    await expect(emulator.countBy('source' as 'event')).rejects.toThrow('dimension must be "event" or');
    await expect(emulator.countBy('event', Number.NaN)).rejects.toThrow('limit must be a whole number');
    await expect(emulator.customer(7 as unknown as string)).rejects.toThrow('must be a string, got number 7');
    await expect(emulator.createApiKey({} as string)).rejects.toThrow('name must be a string, got an object');
  });
});

describe('suspend and resume', () => {
  it('take the service away and bring it back at the same addresses, with all it had', async () => {
    await using emulator = await startEmulator({
      primaryKey: 'email',
      customers: [{ email: 'ada@example.com' }],
    });
    const { baseUrl, apiUrl } = emulator;
    await sendEvents(emulator, event());
    await emulator.suspend();
    await emulator.suspend();
    await expectRefused(() => sendEvents(emulator, event()));
    await expectRefused(() => readCustomer(emulator, 'ada@example.com'));
    expect(await emulator.countEvents()).toEqual({ unique: 1, received: 1 });
    await emulator.resume();
    await emulator.resume();
    expect([emulator.baseUrl, emulator.apiUrl]).toEqual([baseUrl, apiUrl]);
    expect((await sendEvents(emulator, event())).status).toBe(200);
    expect((await readCustomer(emulator, 'ada@example.com')).status).toBe(200);
  });

  it('take their turns where one is called while another is under way', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    await Promise.all([emulator.suspend(), emulator.resume(), emulator.suspend(), emulator.resume()]);
    expect((await sendEvents(emulator, event())).status).toBe(200);
    await Promise.all([emulator.suspend(), emulator.resume(), emulator.suspend()]);
    await expectRefused(() => sendEvents(emulator, event()));
    await expectRefused(() => readCustomer(emulator, 'a'));
  });

  it('cut connections with a request under way', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const request = await beginRequest(emulator);
    await emulator.suspend();
    await request.ended;
    expect(request.answer()).toBe('');
    await emulator.resume();
    expect((await sendEvents(emulator, event())).status).toBe(200);
  });

  it('say so where a port was taken meanwhile', async () => {
    await using emulator = await startEmulator();
    await emulator.suspend();
    const port = Number(new URL(emulator.apiUrl).port);
    const thief = await startEmulator({ port });
    await expect(emulator.resume()).rejects.toThrow(`apiPort ${port} on host "127.0.0.1" is in use`);
    await thief.close();
    await emulator.resume();
  });
});

describe('an emulator', () => {
  it('runs beside others, each with its own ports, keys and events', async () => {
    const emulators = await Promise.all(
      Array.from({ length: 5 }, (_, index) => startEmulator({ primaryKey: 'email', apiKey: `key-${index}` })),
    );
    const addresses = emulators.flatMap(({ baseUrl, apiUrl }) => [baseUrl, apiUrl]);
    expect(new Set(addresses).size).toBe(10);
    await Promise.all(
      emulators.map((emulator, index) =>
        sendEvents(emulator, ...Array.from({ length: index + 1 }, () => event())),
      ),
    );
    for (const [index, emulator] of emulators.entries()) {
      expect(await emulator.countEvents()).toMatchObject({ unique: index + 1 });
    }
    await Promise.all(emulators.map((emulator) => emulator.close()));
  });

  it('can be one of twenty, started at once, that know nothing of each other', async () => {
    const emulators = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        startEmulator({ primaryKey: 'email', faults: [{ kind: 'status', status: 500 + index, skip: 1 }] }),
      ),
    );
    for (const [index, emulator] of emulators.entries()) {
      expect((await sendEvents(emulator, event({ event: `for ${index}` }))).status).toBe(200);
      expect((await sendEvents(emulator, event())).status).toBe(500 + index);
    }
    for (const [index, emulator] of emulators.entries()) {
      expect(await emulator.waitForEvents(1)).toMatchObject([{ event: { event: `for ${index}` } }]);
    }
    await Promise.all(emulators.map((emulator) => emulator.close()));
  });

  it('closes once, promptly, with connections kept alive by clients', async () => {
    const emulator = await startEmulator({ primaryKey: 'email' });
    await sendEvents(emulator, event());
    const unused = connect(Number(new URL(emulator.apiUrl).port), '127.0.0.1');
    await once(unused, 'connect');
    stopGrace();
    await Promise.all([emulator.close(), emulator.close()]);
    await emulator.close();
    await expectRefused(() => sendEvents(emulator, event()));
  });

  it('lets a request under way end before it closes', async () => {
    const emulator = await startEmulator({ primaryKey: 'email' });
    const request = await beginRequest(emulator);
    stopGrace();
    const closed = emulator.close();
    request.finish();
    await closed;
    await request.ended;
    expect(request.answer()).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*{"accepted":1,"repeated":0}$/);
  });

  it('refuses to do anything after it was closed', async () => {
    const emulator = await startEmulator();
    await emulator.close();
    const calls = [
      () => emulator.events(),
      () => emulator.countEvents(),
      () => emulator.addCustomers([]),
      () => emulator.selectPrimaryKey('email'),
      () => emulator.createApiKey(),
      () => emulator.suspend(),
      () => emulator.resume(),
    ];
    for (const call of calls) {
      const failure = await call().then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(isSluiceError(failure, 'SLUICE_CLOSED')).toBe(true);
    }
  });

  it('does not show its key when it is inspected', async () => {
    await using emulator = await startEmulator({ apiKey: 'canary' });
    expect(nodeInspect(emulator, { depth: 9, showHidden: true }) + JSON.stringify(emulator)).not.toContain(
      'canary',
    );
  });

  it('leaves the global Request and Response of its process alone', async () => {
    const { Request, Response } = globalThis;
    await using emulator = await startEmulator({ primaryKey: 'email' });
    await sendEvents(emulator, event());
    expect(globalThis.Request).toBe(Request);
    expect(globalThis.Response).toBe(Response);
  });
});
