// A site with a relay on its own origin: a real server, real files, and the emulator as the service.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type RequestListener,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Emulator, startEmulator } from '@sluice/emulator';
import { onTestFinished } from 'vitest';
import { createRelay, type Relay, type RelayOptions, toNodeHandler } from '../../src/index.ts';

export const ADA = 'ada@example.com';
export const EVE = 'eve@example.com';
export const SECRET: string = 'a secret of a relay in a test: long enough';

/** A logger that says nothing. */
export const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** What a server has answered. */
export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

type Headers = Readonly<Record<string, string | undefined>>;

/** An event, as a page sends it. */
export function pageEvent(fields: object = {}): Record<string, unknown> & { readonly uuid: string } {
  const times = { timestamp: '2026-11-21T10:15:30.000Z', uuid: randomUUID() };
  return { event: 'purchase', source: 'custom', ...times, payload: { total: 42.5 }, ...fields };
}

/** A relay behind a server. */
export class Site {
  readonly relay: Relay;
  readonly origin: string;

  constructor(relay: Relay, origin: string) {
    this.relay = relay;
    this.origin = origin;
  }

  /** Sends a request as a page of this origin does. A header that is undefined is left out. */
  send(body: string | Buffer | object, headers: Headers = {}): Promise<Answered> {
    const usual = {
      'content-type': 'application/json',
      origin: this.origin,
      'sec-fetch-site': 'same-origin',
    };
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
    return post(`${this.origin}/s`, isRaw ? body : JSON.stringify(body), { ...usual, ...headers });
  }

  /** The ticket of whoever is signed in. */
  async ticket(customer: string = ADA): Promise<string> {
    const { body } = await this.send({}, { cookie: `session=${customer}` });
    return String(body.ticket);
  }
}

export function post(
  url: string,
  body: string | Buffer,
  headers: Headers,
  method = 'POST',
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    const request = httpRequest(url, { method, headers: given, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = text.startsWith('{');
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          body: isJson ? JSON.parse(text) : {},
        });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Starts the service. It ends with the test. */
export async function service(): Promise<Emulator> {
  const emulator = await startEmulator({ primaryKey: 'email', customers: [{ email: ADA }, { email: EVE }] });
  onTestFinished(() => emulator.close());
  return emulator;
}

export async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'sluice-relay-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Options of a relay in tests: whose session it is stands in the cookie. */
export function optionsOf(
  emulator: Pick<Emulator, 'baseUrl' | 'apiKey'>,
  more: Partial<RelayOptions> = {},
): RelayOptions {
  return {
    ...{ baseUrl: emulator.baseUrl, apiKey: emulator.apiKey, correlationKey: 'email', secret: SECRET },
    identify: (request) => /session=([^;]+)/.exec(request.headers.get('cookie') ?? '')?.[1],
    tracker: { batch: { maxWaitMs: 0 } },
    ...more,
  };
}

/** Starts a relay behind node:http. Both end with the test. */
export async function openSite(options: RelayOptions): Promise<Site> {
  const relay = createRelay({ ...options, directory: options.directory ?? (await directory()) });
  onTestFinished(() => relay.close({ timeoutMs: 0 }));
  return new Site(relay, await listen(toNodeHandler(relay)));
}

/** Serves a listener on a free port. It ends with the test. */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
