// The interface document, rule by rule, by plain HTTP and nothing else: each test is named after the section and the rule that it
// shows. What the document shows holds whatever the emulator does where it shows nothing, so each rule is shown with each preset.
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Emulator, type PresetName, startEmulator } from '../src/index.ts';

interface Answer {
  readonly status: number;
  readonly text: string;
}

const MINIMAL = {
  event: 'purchase',
  correlationKey: 'email',
  correlationValue: 'ada@example.com',
  source: 'custom',
};
const FULL = {
  ...MINIMAL,
  timestamp: '2026-11-21T10:15:30.000Z',
  uuid: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  payload: {
    total: 42.5,
    items: [{ sku: 'A-1', tags: ['new', null] }],
    gift: true,
    note: 'ä€😀',
    nothing: null,
  },
};
const ADA = {
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Lovelace',
  phone_number: '+44 20 7946 0000',
};

let emulator: Emulator;
let key = '';

/** One request, as it is written here. */
function send(method: string, url: string, headers: Record<string, string>, body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

function headers(authorization = `Api-Key ${key}`): Record<string, string> {
  return { Authorization: authorization, 'Content-Type': 'application/json' };
}

const eventsUrl = () => `${emulator.baseUrl}/api/events/batch/`;
const readUrl = () => `${emulator.apiUrl}/customers/read`;

function post(body: unknown): Promise<Answer> {
  return send('POST', eventsUrl(), headers(), JSON.stringify(body));
}

function read(primaryKey: unknown): Promise<Answer> {
  return send('POST', readUrl(), headers(), JSON.stringify({ primary_key: primaryKey }));
}

/** The events in the event tracker, the oldest first, as its page is given them. */
async function tracked(): Promise<{ event: unknown; name: string; attributed: boolean }[]> {
  const tracker = `${emulator.apiUrl}/emulator/admin/tracker`;
  const { rows } = JSON.parse((await send('GET', `${tracker}?limit=1000`, {})).text);
  const opened = rows.toReversed().map(async ({ id }: { id: number }) => {
    const event = JSON.parse((await send('GET', `${tracker}/${id}`, {})).text);
    return { event: JSON.parse(event.text), name: event.name, attributed: event.attributed };
  });
  return Promise.all(opened);
}

function expectSuccess({ status }: Answer): void {
  expect(status).toBeGreaterThanOrEqual(200);
  expect(status).toBeLessThan(300);
}

function expectError({ status }: Answer): void {
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
}

/** Sends a batch of one event that must not be ingested. */
async function expectNotIngested(event: unknown): Promise<void> {
  const before = await emulator.countEvents();
  const { status, text } = await post({ batch: [event] });
  if (status < 400) expect(JSON.parse(text)).toMatchObject({ accepted: 0, rejected: [{ index: 0 }] });
  else expectError({ status, text });
  expect(await emulator.countEvents()).toEqual(before);
}

async function startWith(preset: PresetName, primaryKey?: string): Promise<void> {
  emulator = await startEmulator({ preset, primaryKey, behaviour: { maxRequestsPerSecond: null } });
  key = emulator.apiKey;
  if (primaryKey !== undefined) await emulator.addCustomers([ADA, { email: 'bob@example.com' }]);
}

describe.each<PresetName>(['plain', 'strict', 'quiet', 'legacy'])(
  'the interface, as the preset %s has it:',
  (preset) => {
    beforeAll(() => startWith(preset, 'email'));
    afterAll(() => emulator.close());

    it('preface: the two endpoints are published on different base addresses', async () => {
      expect(emulator.baseUrl).not.toBe(emulator.apiUrl);
      expectError(
        await send(
          'POST',
          `${emulator.apiUrl}/api/events/batch/`,
          headers(),
          JSON.stringify({ batch: [MINIMAL] }),
        ),
      );
      expectError(
        await send(
          'POST',
          `${emulator.baseUrl}/customers/read`,
          headers(),
          '{"primary_key":"ada@example.com"}',
        ),
      );
    });

    it('1.1: events are ingested in batches, attributed to a customer, and show up in the event tracker', async () => {
      const mine = { ...MINIMAL, event: 'agree_to_marketing' };
      const nobodys = { ...mine, correlationValue: 'nobody@example.com' };
      expectSuccess(await post({ batch: [mine, nobodys] }));
      expect(await tracked()).toEqual([
        { event: mine, name: 'agree_to_marketing', attributed: true },
        { event: nobodys, name: 'agree_to_marketing', attributed: false },
      ]);
    });

    it('1.2: the stored attributes of one existing customer are returned, looked up by primary key', async () => {
      const answer = await read('ada@example.com');
      expectSuccess(answer);
      expect(JSON.parse(answer.text)).toMatchObject(ADA);
    });

    describe('2.1 batch', () => {
      it('is an array of events, and required', async () => {
        for (const body of [
          {},
          { batch: null },
          { batch: MINIMAL },
          { batch: '[]' },
          { events: [MINIMAL] },
          [MINIMAL],
          MINIMAL,
        ]) {
          expectError(await post(body));
        }
      });

      it('holds at least one event', async () => {
        expectError(await post({ batch: [] }));
      });
    });

    describe('2.2 event', () => {
      const required = ['event', 'correlationKey', 'correlationValue', 'source'] as const;

      it.each(required)('rule 1: every event must contain %s', async (field) => {
        const { [field]: _left, ...without } = MINIMAL;
        await expectNotIngested(without);
      });

      it.each(required)('field %s is a string', async (field) => {
        for (const value of [7, true, null, {}, ['x']])
          await expectNotIngested({ ...MINIMAL, [field]: value });
      });

      it('field correlationKey is always the primary key that was set up', async () => {
        await expectNotIngested({ ...MINIMAL, correlationKey: 'phone_number' });
      });

      it('field source is custom in the minimum event, mobile in samples, and others are not ruled out', async () => {
        const before = (await tracked()).length;
        const batch = ['custom', 'mobile', 'web'].map((source) => ({ ...MINIMAL, source }));
        expectSuccess(await post({ batch }));
        expect((await tracked()).slice(before).map(({ event }) => event)).toEqual(batch);
      });

      it('fields timestamp, uuid and payload may be left out, and are kept where they are given', async () => {
        const before = (await tracked()).length;
        const { timestamp, uuid, payload } = FULL;
        const batch = [MINIMAL, { ...MINIMAL, timestamp }, { ...MINIMAL, payload }, { ...MINIMAL, uuid }];
        expectSuccess(await post({ batch }));
        expect((await tracked()).slice(before).map(({ event }) => event)).toEqual(batch);
      });

      it('field timestamp is ISO 8601 UTC with milliseconds', async () => {
        for (const timestamp of [
          '2026-11-21',
          '2026-11-21T10:15:30Z',
          '2026-11-21T10:15:30.000+01:00',
          '2026-02-30T00:00:00.000Z',
          1_795_000_000_000,
        ]) {
          await expectNotIngested({ ...MINIMAL, timestamp });
        }
      });

      it('field uuid is a UUID', async () => {
        for (const uuid of ['7', '', 'g'.repeat(36), 7]) await expectNotIngested({ ...MINIMAL, uuid });
      });

      it('field payload is an object, in which keys, types and nesting are free', async () => {
        for (const payload of ['text', 7, [], true]) await expectNotIngested({ ...MINIMAL, payload });
        const before = (await tracked()).length;
        const payload = {
          ...FULL.payload,
          '': 0,
          'a.b': { c: { d: [[[{}]]] } },
          __emoji__: '🌊',
          long: 'x'.repeat(10_000),
        };
        expectSuccess(await post({ batch: [{ ...MINIMAL, payload }] }));
        expect((await tracked())[before]?.event).toEqual({ ...MINIMAL, payload });
      });

      it('rules 2 and 3: names, shapes and sources may differ in one batch, names and correlation values may be shared', async () => {
        const before = (await tracked()).length;
        const batch = [
          { ...MINIMAL, event: 'onboarding_started', source: 'mobile', payload: { step: 1 } },
          { ...MINIMAL, event: 'onboarding_started', payload: { step: { name: 'two' } } },
          { ...MINIMAL, event: 'item_to_cart', correlationValue: 'bob@example.com' },
          { ...MINIMAL, event: 'item_to_cart' },
        ];
        expectSuccess(await post({ batch }));
        expect((await tracked()).slice(before).map(({ event }) => event)).toEqual(batch);
      });

      it('rule 4: the order of properties is irrelevant', async () => {
        const before = await emulator.countEvents();
        const reversed = Object.fromEntries(Object.entries(FULL).toReversed());
        expectSuccess(await post({ batch: [{ ...reversed, uuid: '11111111-2222-4333-8444-555555555555' }] }));
        expect((await emulator.countEvents()).unique).toBe(before.unique + 1);
      });
    });

    describe('2.3 customer', () => {
      it('is a document of key/value pairs, identified by its primary key value', async () => {
        const [ada, bob] = await Promise.all(['ada@example.com', 'bob@example.com'].map(read));
        expect(JSON.parse(ada?.text ?? '')).toMatchObject(ADA);
        expect(JSON.parse(bob?.text ?? '')).not.toHaveProperty('first_name');
      });

      it('field primary_key is the primary key of the customer that was found, where the answer has it', async () => {
        const { primary_key: found } = JSON.parse((await read('ada@example.com')).text);
        expect(found).toBe(preset === 'quiet' ? undefined : 'ada@example.com');
      });
    });

    describe('4.1 sending a batch', () => {
      const batch = JSON.stringify({ batch: [MINIMAL] });

      it('takes the method POST', async () => {
        for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
          expectError(await send(method, eventsUrl(), headers(), method === 'GET' ? '' : batch));
        }
        expectSuccess(await send('POST', eventsUrl(), headers(), batch));
      });

      it('is at {base_url}/api/events/batch/, with the trailing slash', async () => {
        expectSuccess(await send('POST', `${emulator.baseUrl}/api/events/batch/`, headers(), batch));
        for (const path of ['/api/events/batch', '/api/events/', '/events/batch/', '/api/events/batch//']) {
          expectError(await send('POST', emulator.baseUrl + path, headers(), batch));
        }
      });

      it('needs the headers Authorization and Content-Type: application/json', async () => {
        const { Authorization, ...type } = headers();
        expectError(await send('POST', eventsUrl(), type, batch));
        expectError(await send('POST', eventsUrl(), { Authorization: Authorization ?? '' }, batch));
        expectError(await send('POST', eventsUrl(), { ...headers(), 'Content-Type': 'text/plain' }, batch));
      });

      it('has a JSON object as body', async () => {
        for (const body of ['', 'batch', '[]', '7', '{"batch":[', 'null']) {
          expectError(await send('POST', eventsUrl(), headers(), body));
        }
      });

      it('has the effect that events become visible in the event tracker', async () => {
        const before = (await tracked()).length;
        expectSuccess(await post({ batch: [FULL, { ...FULL, event: 'checking_out', uuid: undefined }] }));
        const names = (await tracked()).map(({ name }) => name);
        expect(names.length).toBeGreaterThan(before);
        expect(names.at(-1)).toBe('checking_out');
      });

      it('rule 1: a batch with one event is valid', async () => {
        expectSuccess(await post({ batch: [MINIMAL] }));
      });

      it('rule 2: each event is matched to a user by the pair of correlationKey and correlationValue', async () => {
        const before = (await tracked()).length;
        const values = ['bob@example.com', 'BOB@example.com', 'ada@example.com', 'Ada'];
        expectSuccess(
          await post({ batch: values.map((correlationValue) => ({ ...MINIMAL, correlationValue })) }),
        );
        const attributed = (await tracked()).slice(before).map((each) => each.attributed);
        expect(attributed).toEqual([true, false, true, false]);
      });
    });

    describe('4.2 reading a customer', () => {
      const body = '{"primary_key":"ada@example.com"}';

      it('takes the method POST', async () => {
        for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
          expectError(await send(method, readUrl(), headers(), method === 'GET' ? '' : body));
        }
        expectSuccess(await send('POST', readUrl(), headers(), body));
      });

      it('is at {api_url}/customers/read, without a trailing slash', async () => {
        expectSuccess(await send('POST', `${emulator.apiUrl}/customers/read`, headers(), body));
        for (const path of ['/customers/read/', '/customers', '/api/customers/read']) {
          expectError(await send('POST', emulator.apiUrl + path, headers(), body));
        }
      });

      it('needs the headers Authorization and Content-Type: application/json', async () => {
        const { Authorization, ...type } = headers();
        expectError(await send('POST', readUrl(), type, body));
        expectError(await send('POST', readUrl(), { Authorization: Authorization ?? '' }, body));
      });

      it('has a JSON object with primary_key, a string, as body', async () => {
        for (const wrong of [
          '',
          '[]',
          '{}',
          '"ada@example.com"',
          '{"primary_key":7}',
          '{"primary_key":null}',
          '{"email":"ada@example.com"}',
        ]) {
          expectError(await send('POST', readUrl(), headers(), wrong));
        }
      });

      it('rule 1: the lookup is by the value against the selected primary key, not against other attributes', async () => {
        expectSuccess(await read('ada@example.com'));
        expectError(await read('Ada'));
        expectError(await read(ADA.phone_number));
      });

      it("rule 2: the response is the existing customer's stored key/value pairs", async () => {
        const { primary_key: _shown, ...pairs } = JSON.parse((await read('ada@example.com')).text);
        expect(pairs).toEqual(ADA);
      });

      it('rule 3: where no such customer exists, an error is returned', async () => {
        expectError(await read('nobody@example.com'));
      });
    });

    describe('5 authentication', () => {
      const asks = [
        (authorization: string) =>
          send('POST', eventsUrl(), headers(authorization), JSON.stringify({ batch: [MINIMAL] })),
        (authorization: string) =>
          send('POST', readUrl(), headers(authorization), '{"primary_key":"ada@example.com"}'),
      ];

      it.each([0, 1])(
        'rules 1 and 2: endpoint %d takes Authorization: Api-Key <API_KEY>, and no other form of it',
        async (at) => {
          const ask = asks[at] ?? expect.fail();
          expectSuccess(await ask(`Api-Key ${key}`));
          for (const wrong of [
            '',
            key,
            `Bearer ${key}`,
            `Api-Key${key}`,
            `Api-Key  ${key}`,
            `Api-Key ${key}x`,
            'Api-Key ',
          ]) {
            expectError(await ask(wrong));
          }
        },
      );

      it('rule 3: the API key is found in the settings', async () => {
        const { text } = await send('GET', `${emulator.apiUrl}/emulator/admin/keys`, {});
        expect(JSON.parse(text).keys).toMatchObject([{ key }]);
      });
    });

    it('6: event names and payload keys are defined by the sender', async () => {
      const before = (await tracked()).length;
      const batch = [
        'purchase',
        'agree_to_marketing',
        'onboarding_started',
        'checking_out',
        'marketing_agreed',
        'Ein eigener Name ✓',
      ].map((event, index) => ({ ...MINIMAL, event, payload: { [`key ${index}`]: index } }));
      expectSuccess(await post({ batch }));
      expect((await tracked()).slice(before).map(({ event }) => event)).toEqual(batch);
    });

    it('7.1: reading a customer that does not exist returns an error', async () => {
      const answer = await read('');
      expectError(answer);
      expectError(await read('nobody'));
    });

    it('8: batches of any size from one event upward are taken, up to a limit that the document does not show', async () => {
      const { maxEvents } = emulator.behaviour;
      for (const size of [1, 2, 100, maxEvents ?? 5_000]) {
        const before = await emulator.countEvents();
        expectSuccess(await post({ batch: Array.from({ length: size }, () => MINIMAL) }));
        expect((await emulator.countEvents()).unique).toBe(before.unique + size);
      }
    });

    it('9: the paths have no version marker', async () => {
      for (const path of ['/v1/api/events/batch/', '/api/v1/events/batch/']) {
        expectError(
          await send('POST', emulator.baseUrl + path, headers(), JSON.stringify({ batch: [MINIMAL] })),
        );
      }
      expectError(
        await send(
          'POST',
          `${emulator.apiUrl}/v1/customers/read`,
          headers(),
          '{"primary_key":"ada@example.com"}',
        ),
      );
    });
  },
);

describe.each<PresetName>(['plain', 'strict', 'quiet', 'legacy'])(
  'before a primary key is selected, as the preset %s has it:',
  (preset) => {
    beforeAll(() => startWith(preset));
    afterAll(() => emulator.close());

    it('1 and 4.2 rule 4: both endpoints may be used only after one has been selected', async () => {
      expectError(await post({ batch: [MINIMAL] }));
      expectError(await read('ada@example.com'));
      const select = `${emulator.apiUrl}/emulator/primary-key`;
      expectSuccess(await send('POST', select, headers(), '{"primaryKey":"email"}'));
      await emulator.addCustomers([ADA]);
      expectSuccess(await post({ batch: [MINIMAL] }));
      expectSuccess(await read('ada@example.com'));
    });
  },
);
