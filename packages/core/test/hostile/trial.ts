import { requestHeaders } from '@sluice/protocol';
import { expect, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { uuid } from '../../src/base/uuid.ts';
import type { Outcome, Timeouts, Transport, TransportRequest } from '../../src/send/http/transport.ts';
import { answer } from './answers.ts';
import type { HostileAddresses, Script, Seen } from './script.ts';

/** What transports are free to differ in. */
export interface Traits {
  /** Whether it can tell connecting apart, and that nothing was sent without a connection. */
  readonly seesConnections: boolean;
  /** Whether it takes the interim answer `100 Continue` that it did not ask for. Undici breaks the connection off. */
  readonly takesContinue: boolean;
  /**
   * A browser resends by itself what broke a connection that was used before, and reads answers
   * as it sees fit; it hides redirects.
   */
  readonly isBrowser: boolean;
  /** Whether an answer that is not HTTP ends a request at once, and takes no status back: not so in every browser. */
  readonly endsNonsense: boolean;
  /**
   * Whether it reads the answer where the connection was closed before it had sent the body: WebKit fails where it finds that
   * while it sends, though the answer is there.
   */
  readonly takesEarlyAnswers: boolean;
  /** How many timers there are. */
  readonly countTimers?: () => number;
}

const KEY = 'a-key-that-must-not-travel';
/** Longer than a test may take: where another bound does not hold, the test fails. */
export const LONG: Timeouts = { connectMs: 1e6, headersMs: 1e6, bodyMs: 1e6, totalMs: 1e6 };
/** For a bound that is reached, where it does not matter what came before. */
export const SHORT_MS = 100;
/** More than the sockets on both sides hold. */
export const LARGE_BODY = new Uint8Array(16 * 1024 * 1024);

/** A transport at the hostile service. */
export class Trial {
  readonly service: HostileAddresses;
  readonly traits: Traits;
  readonly create: () => Transport;
  /** What a transport says that did not send anything, if it can tell. */
  readonly notSent: object;
  /** What one says that cannot know. */
  readonly maybeSent = { kind: 'failed', cause: expect.any(Error), maybeSent: true };

  constructor(create: () => Transport, service: HostileAddresses, traits: Traits) {
    this.create = create;
    this.service = service;
    this.traits = traits;
    this.notSent = { ...this.maybeSent, maybeSent: !traits.seesConnections };
  }

  /** Where the service does what a script says. */
  address(script: Partial<Script>): string {
    const whole: Script = { id: uuid(), reads: true, says: '', everyMs: 0, ...script };
    return `${this.service.origin}/${encodeURIComponent(JSON.stringify(whole))}`;
  }

  post(transport: Transport, request: Partial<TransportRequest>): Promise<Outcome> {
    return transport.post({
      url: '',
      headers: requestHeaders(KEY),
      body: new TextEncoder().encode('{"batch":[]}'),
      timeouts: LONG,
      signal: new AbortController().signal,
      ...request,
    });
  }

  /** What the service saw of a request. */
  seen(id: string): Promise<Seen[]> {
    // This may find a connection that was just closed, too.
    const ask = async () => (await fetch(`${this.service.origin}/${id}`)).json();
    return vi.waitFor(ask, PATIENCE);
  }

  /** A request that is answered properly, with its own name. */
  async postWell(transport: Transport, more: Partial<Script> = {}): Promise<[Outcome, Seen[]]> {
    const id = uuid();
    const url = this.address({ id, says: answer('200 OK', id), ...more });
    const outcome = await this.post(transport, { url });
    if (outcome.kind === 'answered') expect(outcome).toMatchObject({ status: 200, body: id });
    return [outcome, await this.seen(id)];
  }

  /** Between two requests that go well, one that may not. The check of what the service saw of it is waited for. */
  async among(
    request: Partial<TransportRequest>,
    expected: unknown,
    check: () => Promise<void> = async () => {},
  ): Promise<void> {
    const transport = this.create();
    expect((await this.postWell(transport))[0]).toMatchObject({ kind: 'answered' });
    const outcome = await this.post(transport, request);
    expect(outcome).toEqual(expected);
    if (outcome.kind === 'failed') expect(everythingIn(outcome.cause)).not.toContain(KEY);
    await vi.waitFor(check, PATIENCE);
    expect((await this.postWell(transport))[0]).toMatchObject({ kind: 'answered' });
    await transport.close();
  }

  /** Waits until a request goes well: the one before may have found a connection that was just closed. */
  async worksAgain(transport: Transport): Promise<void> {
    await expect.poll(async () => (await this.postWell(transport))[0].kind).toBe('answered');
  }

  /** A check with a bound that is reached once something came: with a longer one each time that it was reached before. */
  async withBound(check: (ms: number) => Promise<void>): Promise<void> {
    let ms = SHORT_MS / 2;
    await vi.waitFor(() => {
      ms *= 2;
      return check(ms);
    }, PATIENCE);
  }

  /** A check that the connection of a request is closed. */
  isGivenUp(id: string): () => Promise<void> {
    return async () => {
      for (const request of await this.seen(id)) expect(request).toMatchObject({ isOpen: false });
    };
  }
}

/** The error that names a bound. */
export function timeOut(bound: keyof Timeouts): unknown {
  return expect.objectContaining({ message: expect.stringContaining(bound) });
}

/** All that an error shows of itself and its causes. */
function everythingIn(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const fields = Object.values(Object.getOwnPropertyDescriptors(error)).map(({ value }) => String(value));
  return [String(error), ...fields, everythingIn(error.cause)].join('\n');
}
