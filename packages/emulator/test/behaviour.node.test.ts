import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENTS_PATH } from '@sluice/protocol';
import Libsql from 'libsql';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PRESETS, type PresetName } from '../src/behaviour/presets.ts';
import { type BehaviourSettings, type EmulatorOptions, startEmulator } from '../src/index.ts';
import { event, type Service, temporaryDirectory } from './service.ts';

const ADA = { email: 'ada@example.com', first_name: 'Ada' };

function start(options: EmulatorOptions) {
  return startEmulator({ primaryKey: 'email', customers: [ADA], ...options });
}

async function post(url: string, apiKey: string, body: unknown) {
  const headers = { authorization: `Api-Key ${apiKey}`, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const type = response.headers.get('content-type');
  return { status: response.status, type, text: await response.text(), headers: response.headers };
}

function send({ baseUrl, apiKey }: Service, ...batch: unknown[]) {
  return post(baseUrl + EVENTS_PATH, apiKey, { batch });
}

function read({ apiUrl, apiKey }: Service, primaryKey: string) {
  return post(`${apiUrl}/customers/read`, apiKey, { primary_key: primaryKey });
}

const TEXT = 'text/plain; charset=utf-8';

describe('the preset', () => {
  it('plain says all it knows', async () => {
    await using emulator = await start({});
    expect(await send(emulator, event())).toMatchObject({
      status: 200,
      type: 'application/json',
      text: '{"accepted":1,"repeated":0}',
    });
    expect(JSON.parse((await read(emulator, ADA.email)).text)).toEqual({ ...ADA, primary_key: ADA.email });
  });

  it('quiet says nothing but statuses, and answers customers without primary_key', async () => {
    await using emulator = await start({ preset: 'quiet' });
    expect(await send(emulator, event())).toMatchObject({ status: 204, type: null, text: '' });
    expect(await send(emulator, {})).toMatchObject({ status: 422, type: null, text: '' });
    expect(await read(emulator, 'nobody')).toMatchObject({ status: 404, type: null, text: '' });
    expect(JSON.parse((await read(emulator, ADA.email)).text)).toEqual(ADA);
    const [refused] = await emulator.requests({ outcome: 'refused' });
    expect(refused?.error).toMatchObject({
      message: 'No customer has the primary key "nobody" (its "email").',
    });
  });

  it('legacy speaks in plain text, and of one status', async () => {
    await using emulator = await start({ preset: 'legacy' });
    expect(await send(emulator, event())).toMatchObject({ status: 201, type: TEXT, text: 'OK' });
    const message = 'batch[0].event must be a non-empty string, got nothing';
    expect(await send(emulator, {})).toMatchObject({ status: 400, type: TEXT, text: message });
    expect(await read(emulator, 'nobody')).toMatchObject({ status: 400, type: TEXT });
    const { baseUrl, apiUrl } = emulator;
    expect((await send({ baseUrl, apiUrl, apiKey: 'wrong' }, event())).status).toBe(400);
  });

  it('strict takes the good events of a batch, and names the bad ones with the reason', async () => {
    await using emulator = await start({ preset: 'strict' });
    expect(await send(emulator, event())).toMatchObject({ status: 202 });
    const uuid = '01234567-89ab-4cde-8f01-23456789abcd';
    const answer = await send(
      emulator,
      event(),
      7,
      event({ uuid, correlationKey: 'phone' }),
      [],
      event({ event: 'last' }),
    );
    expect(answer.status).toBe(207);
    expect(JSON.parse(answer.text)).toEqual({
      accepted: 2,
      repeated: 0,
      rejected: [
        {
          index: 1,
          code: 'invalid_field',
          field: 'batch[1]',
          message: 'batch[1] must be an object, got number 7',
        },
        {
          index: 2,
          uuid,
          code: 'wrong_correlation_key',
          field: 'batch[2].correlationKey',
          message: 'batch[2].correlationKey must be the selected primary key "email", got "phone"',
        },
        {
          index: 3,
          code: 'invalid_field',
          field: 'batch[3]',
          message: 'batch[3] must be an object, got an array',
        },
      ],
    });
    expect((await emulator.events()).map((stored) => stored.event.event)).toEqual([
      'purchase',
      'purchase',
      'last',
    ]);
    expect(await emulator.requests({ outcome: 'refused' })).toMatchObject([
      {
        status: 207,
        events: 5,
        firstEvent: 2,
        error: {
          message: '3 of 5 events were left out: batch[1] must be an object, got number 7',
          field: 'batch[1]',
        },
      },
    ]);
  });

  it('strict has limits of events, body and rate, and says when to come back', async () => {
    vi.useFakeTimers({ toFake: ['Date'] }); // time stands still
    onTestFinished(() => void vi.useRealTimers());
    await using emulator = await start({ preset: 'strict', behaviour: { maxRequestsPerSecond: 3 } });
    const many = Array.from({ length: 101 }, () => event());
    const error = async (...batch: unknown[]) => {
      const { status, text, headers } = await send(emulator, ...batch);
      return { status, retryAfter: headers.get('retry-after'), ...JSON.parse(text).error };
    };
    expect(await error(...many)).toMatchObject({ status: 413, code: 'too_many_events', field: 'batch' });
    const large = event({ payload: { filler: 'x'.repeat(70_000) } });
    expect(await error(large)).toMatchObject({ status: 413, code: 'body_too_large' });
    await error(large);
    expect(await error(event())).toMatchObject({
      status: 429,
      code: 'rate_limited',
      retryAfter: '1',
      message: 'At most 3 requests a second are taken: the next one in 334 ms.',
    });
    expect((await read(emulator, ADA.email)).status).toBe(200); // each endpoint has a rate of its own
  });

  it.each(Object.entries(PRESETS))('%s is the one in the README', (name, { about }) => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    expect(readme).toContain(`| \`${name}\` | ${about} |`);
  });
});

describe('a setting of the behaviour', () => {
  it.each<[BehaviourSettings, number, string]>([
    [{ acceptedStatus: 204 }, 204, ''],
    [{ acceptedBody: 'text' }, 200, 'OK'],
    [{ badEvents: 'leave-out', partlyAcceptedStatus: 400, acceptedBody: 'empty' }, 200, ''],
  ])('stands beside those of the preset: %j', async (behaviour, status, text) => {
    await using emulator = await start({ behaviour });
    expect(await send(emulator, event())).toMatchObject({ status, text });
    expect(emulator.behaviour).toMatchObject(behaviour);
  });

  it('gives a refusal a status of its own', async () => {
    await using emulator = await start({ behaviour: { statuses: { customer_not_found: 410 } } });
    expect((await read(emulator, 'nobody')).status).toBe(410);
    expect((await send(emulator, {})).status).toBe(422);
  });

  it.each<[object, string]>([
    [{ preset: 'strange' }, 'preset must be "plain", "strict", "quiet" or "legacy", got string "strange"'],
    [
      { behaviour: { acceptedStatus: 300 } },
      'behaviour.acceptedStatus must be a whole number from 200 to 299',
    ],
    [{ behaviour: { acceptedBody: 'xml' } }, 'behaviour.acceptedBody must be "counts", "text" or "empty"'],
    [{ behaviour: { maxEvents: 0 } }, 'or null for no limit, got number 0'],
    [
      { behaviour: { statuses: { gone: 410 } } },
      'behaviour.statuses.gone is not an option; there are malformed_request, ',
    ],
    [
      { behaviour: { statuses: { empty_batch: 200 } } },
      'behaviour.statuses.empty_batch must be a whole number from 400',
    ],
    [{ behaviour: { colour: 1 } }, 'behaviour.colour is not an option; there are acceptedStatus'],
    [{ behaviour: 7 }, 'behaviour must be an object, got number 7'],
  ])('that is wrong, %j, is named with what is allowed', async (options, message) => {
    await expect(start(options)).rejects.toThrow(message);
  });

  it('can be changed while the service runs, also by the admin route, which answers what holds then', async () => {
    await using emulator = await start({ preset: 'quiet' });
    expect(await emulator.changeBehaviour({ behaviour: { acceptedStatus: 202 } })).toMatchObject({
      acceptedStatus: 202,
      acceptedBody: 'empty',
    });
    const url = `${emulator.apiUrl}/emulator/behaviour`;
    const put = async (change: unknown) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(change) });
      return { status: response.status, body: await response.json() };
    };
    expect(await (await fetch(url)).json()).toMatchObject({ preset: 'quiet', isChanged: true });
    expect(await put({ preset: 'legacy' })).toMatchObject({
      status: 200,
      body: { preset: 'legacy', isChanged: false, behaviour: { acceptedStatus: 201 } },
    });
    expect(await send(emulator, event())).toMatchObject({ status: 201, text: 'OK' });
    expect(await put({ preset: 'strict', behaviour: { maxEvents: -1 } })).toMatchObject({
      status: 422,
      body: { error: { code: 'invalid_field', field: 'behaviour.maxEvents' } },
    });
    expect(await put({ presets: 'strict' })).toMatchObject({
      status: 422,
      body: { error: { field: 'presets' } },
    });
    expect(emulator.behaviour.acceptedStatus).toBe(201);
  });
});

describe('the behaviour that was chosen', () => {
  const { strict, quiet, plain } = PRESETS;
  const put = (apiUrl: string, change: unknown) =>
    fetch(`${apiUrl}/emulator/behaviour`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(change),
    });
  const stateOf = async (options: EmulatorOptions) => {
    await using emulator = await startEmulator(options);
    return (await fetch(`${emulator.apiUrl}/emulator/behaviour`)).json();
  };

  it('outlives the process with its data, however it was chosen', async () => {
    const data = temporaryDirectory();
    {
      await using emulator = await startEmulator({ data });
      await put(emulator.apiUrl, {
        preset: 'strict',
        behaviour: { maxEvents: null, statuses: { empty_batch: 418 } },
      });
      expect((await put(emulator.apiUrl, { behaviour: { maxEvents: 0 } })).status).toBe(422);
    }
    expect(await stateOf({ data })).toMatchObject({
      preset: 'strict',
      isChanged: true,
      behaviour: { ...strict.behaviour, maxEvents: null, statuses: { empty_batch: 418 } },
    });
    {
      await using emulator = await startEmulator({ data });
      await emulator.changeBehaviour({ preset: 'quiet' });
    }
    expect(await stateOf({ data })).toMatchObject({ preset: 'quiet', isChanged: false });
  });

  it.each<[EmulatorOptions, object]>([
    [{ preset: 'quiet' }, { preset: 'quiet', isChanged: false, behaviour: quiet.behaviour }],
    [
      { behaviour: { acceptedStatus: 201 } },
      { preset: 'plain', behaviour: { acceptedStatus: 201, maxEvents: null } },
    ],
    [
      { behaviour: { compression: false } },
      { preset: 'plain', isChanged: false, behaviour: plain.behaviour },
    ],
    [
      { behaviour: { maxBodyBytes: 9 } },
      { preset: 'plain', isChanged: true, behaviour: { maxBodyBytes: 9 } },
    ],
  ])('gives way, whole, to what the next start gives: %j', async (options, state) => {
    const data = temporaryDirectory();
    await stateOf({ data, preset: 'strict', behaviour: { maxEvents: 7 } });
    expect(await stateOf({ data, behaviour: {}, preset: undefined })).toMatchObject({
      preset: 'strict',
      behaviour: { maxEvents: 7 },
    });
    expect(await stateOf({ data, ...options })).toMatchObject(state);
    expect(await stateOf({ data })).toMatchObject(state);
  });

  it('is named where a version that kept it knew other settings', async () => {
    const data = temporaryDirectory();
    await stateOf({ data, preset: 'strict' });
    const database = new Libsql(join(data, 'emulator.db'));
    database.exec(
      `UPDATE settings SET value = '{"preset":"strict","behaviour":{"colour":1}}' WHERE name = 'behaviour'`,
    );
    database.close();
    await expect(startEmulator({ data })).rejects.toThrow(
      /behaviour.colour is not an option; .* kept in the data directory: name a preset to choose anew/,
    );
    expect(await stateOf({ data, preset: 'plain' })).toMatchObject({ preset: 'plain' });
  });
});

describe('every preset', () => {
  it.each(Object.keys(PRESETS) as PresetName[])(
    '%s stores the same events, and the same words of refusals',
    async (preset) => {
      await using emulator = await start({ preset });
      await send(emulator, event(), event({ event: 'second' }));
      await send(emulator);
      await read(emulator, 'nobody');
      expect(await emulator.countEvents()).toEqual({ unique: 2, received: 2 });
      expect((await emulator.requests({ outcome: 'refused' })).map(({ error }) => error?.code)).toEqual([
        'customer_not_found',
        'empty_batch',
      ]);
    },
  );
});
