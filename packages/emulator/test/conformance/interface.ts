// Shared by the tests of the interface document: an emulator, seen by a client that knows only the document, over plain HTTP.
// What the document shows must hold whatever the emulator does elsewhere. So each rule is tested with each preset.
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type Emulator, type PresetName, startEmulator } from '../../src/index.ts';

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** An event as the event tracker shows it. */
export interface TrackedEvent {
  readonly event: unknown;
  readonly name: string;
  readonly attributed: boolean;
}

/** The smallest valid event. */
export const MINIMAL = {
  event: 'purchase',
  correlationKey: 'email',
  correlationValue: 'ada@example.com',
  source: 'custom',
};

/** An event with every field, and a payload with every type. */
export const FULL = {
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

/** A customer with all attributes in the samples of the document. */
export const ADA = {
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Lovelace',
  phone_number: '+44 20 7946 0000',
};

/** The interface with one preset. */
export class Interface {
  readonly preset: PresetName;
  #emulator: Emulator | undefined;

  constructor(preset: PresetName) {
    this.preset = preset;
  }

  get emulator(): Emulator {
    return this.#emulator ?? expect.fail('it is not started');
  }

  get eventsUrl(): string {
    return `${this.emulator.baseUrl}/api/events/batch/`;
  }

  get readUrl(): string {
    return `${this.emulator.apiUrl}/customers/read`;
  }

  async start(primaryKey?: string): Promise<void> {
    const behaviour = { maxRequestsPerSecond: null };
    this.#emulator = await startEmulator({ preset: this.preset, primaryKey, behaviour });
    if (primaryKey !== undefined) await this.emulator.addCustomers([ADA, { email: 'bob@example.com' }]);
  }

  async close(): Promise<void> {
    await this.emulator.close();
  }

  headers(authorization = `Api-Key ${this.emulator.apiKey}`): Record<string, string> {
    return { Authorization: authorization, 'Content-Type': 'application/json' };
  }

  post(body: unknown): Promise<Answer> {
    return send('POST', this.eventsUrl, this.headers(), JSON.stringify(body));
  }

  read(primaryKey: unknown): Promise<Answer> {
    return send('POST', this.readUrl, this.headers(), JSON.stringify({ primary_key: primaryKey }));
  }

  /** The events in the event tracker, oldest first, without the first `from`, as the page of the tracker gets them. */
  async tracked(from = 0): Promise<TrackedEvent[]> {
    const tracker = `${this.emulator.apiUrl}/emulator/events`;
    const { rows } = JSON.parse((await send('GET', `${tracker}?limit=1000`, {})).text);
    const opened = rows
      .toReversed()
      .slice(from)
      .map(async ({ id }: { id: number }) => {
        const event = JSON.parse((await send('GET', `${tracker}/${id}`, {})).text);
        return { event: JSON.parse(event.text), name: event.name, attributed: event.attributed };
      });
    return Promise.all(opened);
  }

  /** How many events the event tracker has. */
  async count(): Promise<number> {
    return (await this.emulator.countEvents()).unique;
  }

  /** Sends a batch of one event that must not be ingested. */
  async expectNotIngested(event: unknown): Promise<void> {
    const before = await this.emulator.countEvents();
    const answer = await this.post({ batch: [event] });
    if (answer.status >= 400) expectError(answer);
    else expect(JSON.parse(answer.text)).toMatchObject({ accepted: 0, rejected: [{ index: 0 }] });
    expect(await this.emulator.countEvents()).toEqual(before);
  }
}

/** Runs tests of the interface with each preset. Without `primaryKey`, no primary key is selected. */
export function describeInterface(primaryKey: string | undefined, tests: (it: Interface) => void): void {
  const when = primaryKey === undefined ? 'before a primary key is selected' : 'the interface';
  describe.each<PresetName>(['plain', 'strict', 'quiet', 'legacy'])(
    `${when}, as the preset %s has it:`,
    (preset) => {
      const service = new Interface(preset);
      beforeAll(() => service.start(primaryKey));
      afterAll(() => service.close());
      tests(service);
    },
  );
}

/** Sends one request exactly as given here. */
export function send(
  method: string,
  url: string,
  headers: Record<string, string>,
  body = '',
): Promise<Answer> {
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

export function expectSuccess({ status }: Answer): void {
  expect(status).toBeGreaterThanOrEqual(200);
  expect(status).toBeLessThan(300);
}

export function expectError({ status }: Answer): void {
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
}
