import { requestHeaders } from '@sluice/protocol';
import { expect, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { uuid } from '../../src/base/uuid.ts';
import type { Outcome, Timeouts, Transport, TransportRequest } from '../../src/send/http/transport.ts';
import { answer } from './answers.ts';
import type { HostileAddresses, Script, Seen } from './script.ts';

/** Behaviour in which transports may differ. */
export interface Traits {
  /** Whether it can tell apart the time of connecting, and so knows that nothing was sent without a connection. */
  readonly seesConnections: boolean;
  /** Whether it accepts the interim answer `100 Continue` without having asked for it. Undici closes the connection. */
  readonly takesContinue: boolean;
  /** A browser resends a request by itself if a reused connection broke, reads answers in its own way, and hides redirects. */
  readonly isBrowser: boolean;
  /** Whether an answer that is not HTTP ends a request at once, without a status. Not so in every browser. */
  readonly endsNonsense: boolean;
  /**
   * Whether it reads the answer if the connection was closed before the whole body was sent. WebKit fails if it notices the end
   * while it sends, although the answer is there.
   */
  readonly takesEarlyAnswers: boolean;
  /** How many timers are pending. */
  readonly countTimers?: () => number;
}

export const KEY = 'a-key-that-must-not-travel';
/** Longer than a test may take: if the expected limit does not work, the test fails. */
export const LONG: Timeouts = { connectMs: 1e6, headersMs: 1e6, bodyMs: 1e6, totalMs: 1e6 };
/** For a limit that must be reached, if it does not matter what came before. */
export const SHORT_MS = 100;
/** More than the socket buffers of both sides hold. */
export const LARGE_BODY = new Uint8Array(5 * 1024 * 1024);

/** Tests a transport at the hostile service. */
export class Trial {
  readonly service: HostileAddresses;
  readonly traits: Traits;
  readonly create: () => Transport;
  /** The outcome if nothing was sent. Some transports cannot tell. */
  readonly notSent: object;
  /** The outcome if the transport cannot know. */
  readonly maybeSent = { kind: 'failed', cause: expect.any(Error), maybeSent: true };

  constructor(create: () => Transport, service: HostileAddresses, traits: Traits) {
    this.create = create;
    this.service = service;
    this.traits = traits;
    this.notSent = { ...this.maybeSent, maybeSent: !traits.seesConnections };
  }

  /** The address at which the service does what a script says. */
  address(script: Partial<Script>): string {
    const whole: Script = { id: uuid(), reads: true, says: '', everyMs: 0, ...script };
    return `${this.service.origin}/${encodeURIComponent(JSON.stringify(whole))}`;
  }

  post(transport: Transport, request: Partial<TransportRequest>): Promise<Outcome> {
    return transport.post({
      url: '',
      headers: requestHeaders(KEY),
      // Browsers go on with an aborted request that may outlive the page. One of this size may not.
      body: new TextEncoder().encode('{"batch":[]}'.padEnd(this.traits.isBrowser ? 70_000 : 0)),
      timeouts: LONG,
      signal: new AbortController().signal,
      ...request,
    });
  }

  /** What the service saw of a request. */
  seen(id: string): Promise<Seen[]> {
    // Repeated, because this request may find a connection that was just closed too.
    const ask = async () => (await fetch(`${this.service.origin}/${id}`)).json();
    return vi.waitFor(ask, PATIENCE);
  }

  /** A request that gets a proper answer, with its own id as the body. */
  async postWell(transport: Transport, more: Partial<Script> = {}): Promise<[Outcome, Seen[]]> {
    const id = uuid();
    const url = this.address({ id, says: answer('200 OK', id), ...more });
    const outcome = await this.post(transport, { url });
    if (outcome.kind === 'answered') expect(outcome).toMatchObject({ status: 200, body: id });
    return [outcome, await this.seen(id)];
  }

  /** Sends a request that may fail between two that succeed. Waits until `check` passes, which looks at what the service saw. */
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

  /** Waits until a request succeeds: the previous one may have found a connection that was just closed. */
  async worksAgain(transport: Transport): Promise<void> {
    await expect.poll(async () => (await this.postWell(transport))[0].kind).toBe('answered');
  }

  /** Runs a check with a time limit that must be reached only after something came. Repeats a failed check with a longer one. */
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

/** Matches the error that names a limit. */
export function timeOut(bound: keyof Timeouts): unknown {
  return expect.objectContaining({ message: expect.stringContaining(bound) });
}

/** All text that an error and its causes show. */
function everythingIn(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const fields = Object.values(Object.getOwnPropertyDescriptors(error)).map(({ value }) => String(value));
  return [String(error), ...fields, everythingIn(error.cause)].join('\n');
}
