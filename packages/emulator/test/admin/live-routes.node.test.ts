import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../../testing/virtual-clock.ts';
import type { Status } from '../../src/admin/contract.ts';
import { LiveFeed } from '../../src/admin/live-feed.ts';
import { ArrivalRates } from '../../src/events/rates.ts';
import { startEmulator } from '../../src/index.ts';
import { event, sendEvents } from '../service.ts';

/** Reads server-sent events until `isEnough` returns true. Returns the text so far. */
async function read(body: ReadableStream<Uint8Array> | null, isEnough: (text: string) => boolean) {
  if (body === null) throw new Error('there is no stream');
  const decoder = new TextDecoder();
  let text = '';
  const reader = body.getReader();
  while (!isEnough(text)) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  return { text, reader };
}

function setUp() {
  const clock = new VirtualClock();
  const state = { unique: 0 };
  const rates = new ArrivalRates(() => clock.now());
  const feed = new LiveFeed(() => ({ unique: state.unique }) as Status, rates, clock);
  /** Lets time pass, a quarter of a second at a time. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 250) {
      clock.advance(250);
      await setImmediate();
    }
  };
  return { clock, state, rates, feed, pass };
}

async function nextText(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  return new TextDecoder().decode((await reader.read()).value);
}

const withoutRates = (text: string) => text.replaceAll(/event: rates\ndata: .*\n\n/g, '');

describe('the live stream', () => {
  it('begins with the status, and tells of events that arrive, never what is in them', async () => {
    await using emulator = await startEmulator({ primaryKey: 'email' });
    const response = await fetch(`${emulator.apiUrl}/emulator/live`);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    await sendEvents(emulator, event({ event: 'arrived', payload: { secret: 'canary' } }), event());
    const { text, reader } = await read(
      response.body,
      (all) => all.includes('"unique":2') && all.includes('"arrived":1'),
    );
    expect(text).toMatch(/^retry: 1000\n\nevent: status\ndata: {"baseUrl":"http:.*"unique":0.*}\n\n/);
    expect(text).toMatch(/event: rates\ndata: {"second":\d+,"counts":{"arrived":1,"purchase":1}}\n\n/);
    expect(text).not.toContain('canary');
    await reader.cancel();
  });

  it('is told the status once for each change, and the rates of each second', async () => {
    const { clock, state, rates, feed, pass } = setUp();
    const second = clock.now() / 1_000;
    const reader = feed.open().getReader();
    expect(withoutRates(await nextText(reader))).toContain('data: {"unique":0}');
    rates.add('purchase');
    await pass(250);
    state.unique = 1;
    await pass(250);
    expect(await nextText(reader)).toBe('event: status\ndata: {"unique":1}\n\n');
    await pass(1_000);
    expect(await nextText(reader)).toBe(
      `event: rates\ndata: {"second":${second},"counts":{"purchase":1}}\n\n`,
    );
    feed.end();
    expect(await reader.read()).toMatchObject({ done: true });
  });

  it('queues nothing for a slow reader, and tells it the newest later, without a gap in the rates', async () => {
    const { state, feed, pass } = setUp();
    const reader = feed.open().getReader();
    for (let tick = 0; tick <= 100; tick += 1) {
      state.unique = tick;
      await pass(250);
    }
    expect(withoutRates(await nextText(reader))).toContain('data: {"unique":0}');
    await pass(250);
    const text = await nextText(reader);
    expect(text.match(/event: status\ndata: .*/g)).toEqual(['event: status\ndata: {"unique":100}']);
    expect(text.match(/"second":\d+/g)).toHaveLength(25);
    feed.end();
  });

  it('is let go when its page goes', async () => {
    const { clock, feed, pass } = setUp();
    const readers = Array.from({ length: 20 }, () => feed.open().getReader());
    await pass(250);
    for (const reader of readers) await reader.cancel();
    await pass(250);
    expect(clock.pending).toBe(0);
  });

  it('ends in order when the emulator closes, which does not have to cut it', async () => {
    const emulator = await startEmulator();
    const live = () => fetch(`${emulator.apiUrl}/emulator/live`);
    const streams = await Promise.all(Array.from({ length: 3 }, live));
    const texts = Promise.all(streams.map((stream) => stream.text())); // rejects if one is cut
    await emulator.close();
    for (const text of await texts) expect(text).toContain('event: status');
  });

  it('ends when the service is taken away, and can be opened once it is back', async () => {
    await using emulator = await startEmulator();
    const live = () => fetch(`${emulator.apiUrl}/emulator/live`);
    const { body } = await live();
    await emulator.suspend();
    await read(body, () => false).catch(() => undefined); // ended or cut
    await emulator.resume();
    const { text, reader } = await read((await live()).body, (all) => all.includes('event: status'));
    expect(text).toContain('"unique":0');
    await reader.cancel();
  });

  it('is for the operator only', async () => {
    await using emulator = await startEmulator({ token: 'operator-token' });
    const response = await fetch(`${emulator.apiUrl}/emulator/live`);
    expect(response.status).toBe(403);
  });

  it('has no body for HEAD', async () => {
    await using emulator = await startEmulator();
    const response = await fetch(`${emulator.apiUrl}/emulator/live`, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });
});
