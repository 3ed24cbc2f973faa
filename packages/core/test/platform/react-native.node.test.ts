import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Context, createContext, runInContext } from 'node:vm';
import { type Emulator, startEmulator } from '@sluice/emulator';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { bundle } from '../../../../testing/bare-context.ts';
import { PATIENCE } from '../../../../testing/patience.ts';
import type * as sluice from '../../src/entries/react-native.ts';
import { createTracker as createOnNode } from '../../src/entries/react-native.ts';
import { Sqlite } from '../bench/sqlite.ts';

const code = await bundle(new URL('../../src/entries/react-native.ts', import.meta.url), ['react-native']);
const ada = { correlationValue: 'ada@example.com' };

let emulator: Emulator;
let directory: string;
beforeAll(async () => {
  emulator = await startEmulator({ primaryKey: 'email' });
  directory = mkdtempSync(join(tmpdir(), 'sluice-react-native-'));
});
afterAll(async () => {
  await emulator.close();
  rmSync(directory, { recursive: true });
});

/** The `AppState` of an app that a test sends to the background. */
class FakeAppState implements sluice.AppState {
  currentState = 'active';
  readonly listeners = new Set<(state: string) => void>();

  addEventListener(_type: 'change', listener: (state: string) => void) {
    this.listeners.add(listener);
    return { remove: () => void this.listeners.delete(listener) };
  }

  become(state: string): void {
    this.currentState = state;
    for (const listener of this.listeners) listener(state);
  }
}

/** The `NetInfo` of a phone whose network a test takes away. */
class FakeNetInfo implements sluice.NetInfo {
  readonly listeners = new Set<Parameters<sluice.NetInfo['addEventListener']>[0]>();

  addEventListener(listener: Parameters<sluice.NetInfo['addEventListener']>[0]) {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  become(isConnected: boolean | null): void {
    for (const listener of this.listeners) listener({ isConnected });
  }
}

/** `fetch` as React Native has it: the body of an answer is there at once, and is no stream. */
async function wholeFetch(...args: Parameters<typeof fetch>): Promise<unknown> {
  const answer = await fetch(...args);
  const text = await answer.text();
  const { status, ok, headers, url } = answer;
  return { status, ok, headers, url, text: async () => text };
}

/** An app that was just started: a context with what React Native has, and nothing else. */
class App {
  readonly appState = new FakeAppState();
  readonly netInfo = new FakeNetInfo();
  readonly globals: Context;
  readonly sluice: typeof sluice;

  constructor(without: readonly string[] = [], more: object = {}) {
    const globals: Record<string, unknown> = {
      ...{ TextEncoder, TextDecoder, URL, AbortController, queueMicrotask },
      ...{ setTimeout, clearTimeout },
      Request: class {},
      crypto: { getRandomValues: crypto.getRandomValues.bind(crypto) },
      fetch: wholeFetch,
      ...more,
    };
    for (const name of without) delete globals[name];
    this.globals = createContext(globals);
    runInContext(`${code}; globalThis.sluice = sluice`, this.globals);
    this.sluice = this.globals.sluice;
  }

  create(database: sluice.SqliteDatabase, options: Partial<sluice.ReactNativeOptions> = {}): sluice.Tracker {
    const { baseUrl, apiKey } = emulator;
    const { appState, netInfo } = this;
    const given = { baseUrl, apiKey, correlationKey: 'email', database, appState, netInfo, ...options };
    return this.sluice.createTracker(given);
  }
}

let name: string;
let database: Sqlite;
beforeEach(({ task }) => {
  name = task.name;
  database = new Sqlite();
});

const counted = () => emulator.countEvents({ name });
/** How many events wait in the database. */
async function stored(): Promise<number> {
  const { rows } = await database.execute('SELECT total(count) AS count FROM sluice_parcels');
  return Number(rows[0]?.count);
}

describe('a tracker in React Native', () => {
  it('delivers through fetch, and leaves nothing in the database', async () => {
    const tracker = new App().create(database);
    for (let number = 0; number < 1_000; number += 1) tracker.track(name, { number }, ada);
    await tracker.durable();
    expect(tracker.stats().journal).toBe('sqlite');
    expect(await tracker.close()).toMatchObject({ delivered: 1_000, pending: 0, dropped: 0 });
    expect(await counted()).toEqual({ unique: 1_000, received: 1_000 });
    expect(await stored()).toBe(0);
  });

  it('does no I/O and draws no random number when it is imported', () => {
    const refuse = () => {
      throw new Error('too early');
    };
    new App([], { crypto: { getRandomValues: refuse }, fetch: refuse, setTimeout: refuse });
  });

  it('keeps what was tracked offline, on a file, for the next start of the app', async () => {
    const file = join(directory, 'app.db');
    const first = new Sqlite(file);
    const offline = new App([], { fetch: () => Promise.reject(new TypeError('Network request failed')) });
    const tracker = offline.create(first);
    for (let number = 0; number < 100; number += 1) tracker.track(name, { number }, ada);
    await tracker.durable();
    // The app is killed: nothing is closed.
    database = new Sqlite(file);
    const next = new App().create(database);
    await expect.poll(() => next.stats().recovered, PATIENCE).toBe(100);
    await next.close();
    expect(await counted()).toEqual({ unique: 100, received: 100 });
    expect(await stored()).toBe(0);
  });

  it('holds events until the user is known, over two starts of the app', async () => {
    const tracker = new App().create(database);
    tracker.track(name, { number: 1 });
    await tracker.durable();
    await tracker.close({ timeoutMs: 0 });
    const next = new App().create(database);
    next.identify('ada@example.com');
    expect(await next.close()).toMatchObject({ delivered: 1 });
    expect(await counted()).toEqual({ unique: 1, received: 1 });
  });

  it('keeps dead letters in the database', async () => {
    const refusing = async (url: string, { body }: { readonly body: Uint8Array }) => ({
      ...{ headers: new Headers(), url, ok: true },
      status: new TextDecoder().decode(body).includes('wrong') ? 422 : 200,
      text: async () => '{"error":"no such field"}',
    });
    const tracker = new App([], { fetch: refusing }).create(database);
    for (const field of ['right', 'wrong']) tracker.track(name, { [field]: 1 }, ada);
    await tracker.flush();
    expect(tracker.stats().deadLettered).toBe(1);
    await tracker.close();
    const next = new App().create(database);
    const letters = [];
    for await (const letter of next.deadLetters.list()) letters.push(letter);
    expect(letters).toMatchObject([{ status: 422, excerpt: '{"error":"no such field"}' }]);
    await next.close();
  });

  it('writes and sends what waits when the app goes to the background', async () => {
    const app = new App();
    const options = { batch: { maxWaitMs: 3_600_000 }, commitIntervalMs: 3_600_000 };
    const tracker = app.create(database, options);
    tracker.track(name, {}, ada);
    app.appState.become('inactive');
    expect(tracker.stats().delivered).toBe(0);
    app.appState.become('background');
    await expect.poll(counted, PATIENCE).toEqual({ unique: 1, received: 1 });
    app.appState.become('active');
    await tracker.close();
    expect(app.appState.listeners.size).toBe(0);
  });

  it('sends at once when the network is back', async () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.999);
    let isOnline = false;
    const app = new App([], {
      fetch: (...args: Parameters<typeof fetch>) =>
        isOnline ? wholeFetch(...args) : Promise.reject(new TypeError('Network request failed')),
    });
    const tracker = app.create(database, {
      delivery: { retryBaseMs: 3_600_000, retryMaxMs: 3_600_000 },
    });
    for (let failed = 1; tracker.stats().breaker !== 'open'; failed += 1) {
      tracker.track(name, {}, { ...ada, priority: 'high' });
      await expect.poll(() => tracker.stats().requests.failed, PATIENCE).toBe(failed);
    }
    const count = tracker.stats().pending;
    app.netInfo.become(false);
    isOnline = true;
    app.netInfo.become(true);
    await expect.poll(counted, PATIENCE).toEqual({ unique: count, received: count });
    await tracker.close();
    random.mockRestore();
    expect(app.netInfo.listeners.size).toBe(0);
  });

  it('needs neither an app state nor a network state', async () => {
    const tracker = new App().create(database, { appState: undefined, netInfo: undefined });
    tracker.track(name, {}, ada);
    expect(await tracker.close()).toMatchObject({ delivered: 1 });
  });

  it('goes on from memory if the database fails', async () => {
    database.failure = new Error('disk I/O error');
    const tracker = new App().create(database);
    tracker.track(name, {}, ada);
    expect(await tracker.flush()).toMatchObject({ delivered: 1 });
    expect(tracker.stats().journal).toBe('memory');
    await tracker.close();
  });

  it.each([
    ['crypto', 'crypto.getRandomValues', 'react-native-get-random-values'],
    ['TextDecoder', 'TextDecoder', 'fast-text-encoding'],
    ['URL', 'URL', 'react-native-url-polyfill'],
  ])('says what to install where %s is missing', (missing, option, polyfill) => {
    const app = new App([missing]);
    expect(() => app.create(database)).toThrow(
      expect.objectContaining({
        code: 'SLUICE_CONFIG',
        option,
        message: expect.stringContaining(`install ${polyfill}, `),
      }),
    );
  });

  it.each([[undefined], [{}], ['app.db']])('refuses %s as a database', (wrong) => {
    const create = () => new App().create(wrong as never);
    expect(create).toThrow(expect.objectContaining({ code: 'SLUICE_CONFIG', option: 'database' }));
  });

  it('refuses a wrong option by its name', () => {
    const create = () => new App().create(database, { batch: { maxEvents: -1 } });
    expect(create).toThrow(expect.objectContaining({ code: 'SLUICE_CONFIG', option: 'batch.maxEvents' }));
  });
});

it('the entry point for React Native says so where it is bundled for something else', () => {
  const given = { baseUrl: 'https://example.com', correlationKey: 'email', database: new Sqlite() };
  expect(() => createOnNode(given)).toThrow(/bundled for another platform/);
});
