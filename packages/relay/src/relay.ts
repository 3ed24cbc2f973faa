import type { FinishOptions, Tracker } from '@sluice/core';
import { isUuid } from '@sluice/protocol';
import { isNonEmptyString, redactedError, tried } from '@sluice/protocol/toolbox';
import { type WebAbout, webIncoming } from './adapters/web.ts';
import { type Answer, answer, type Incoming, Refusal, type RefusalWord, refuse } from './exchange.ts';
import { Jwts } from './identity/jwt.ts';
import { Origins } from './identity/origins.ts';
import { type Claims, Tickets } from './identity/tickets.ts';
import { Addresses, subnetOf } from './intake/addresses.ts';
import { Bodies } from './intake/bodies.ts';
import { isTooDeep } from './intake/nesting.ts';
import { contextOf, isObject, readEvents } from './intake/page-events.ts';
import { Rates } from './intake/rates.ts';
import { JournalKeeper } from './keep/journal-keeper.ts';
import type { Keeper, WindowStats } from './keep/keeper.ts';
import { UpstreamKeeper } from './keep/upstream-keeper.ts';
import { type RelayOptions, readOptions, type Settings } from './options.ts';

/** As deep as a payload may be. */
const MOST_DEPTH = 500;
const JSON_TYPE = /^application\/json *(?:;|$)/i;
/** A failure is logged at most once in this time. */
const LOG_EVERY_MS = 10_000;

/** What a relay has done, and how much it knows. */
export interface RelayStats {
  /** Tickets that were issued. */
  readonly tickets: number;
  /** Events that were answered as taken, with those that came again. */
  readonly taken: number;
  /** Of these, events that came again, and were not taken again. */
  readonly repeated: number;
  /** Events that can never be taken. */
  readonly invalid: number;
  /** With `observe`: events that were taken without a ticket that counts. */
  readonly unproven: number;
  /** Requests that were refused, by the word of the answer. */
  readonly refused: Readonly<Partial<Record<RefusalWord, number>>>;
  /** Bytes of bodies in memory. */
  readonly pendingBytes: number;
  /** Undefined without a journal. */
  readonly window: WindowStats | undefined;
}

/** Takes the requests of pages. */
export interface Relay {
  /** For frameworks with web requests. Never rejects. */
  (request: Request, about?: WebAbout): Promise<Response>;
  /** For frameworks with other requests. Never rejects. */
  answer(incoming: Incoming): Promise<Answer>;
  /** Delivers the events: for its `stats()`, its dead letters, and `observeTracker()`. Undefined without a journal. */
  readonly tracker: Tracker | undefined;
  /** Whether events can be taken now. */
  isReady(): boolean;
  stats(): RelayStats;
  /** Refuses new requests, answers the pending ones, and delivers what it can. The rest stays in the journal. */
  close(options?: FinishOptions): Promise<void>;
}

/** Makes a relay. Throws a ConfigError if an option is wrong, and nothing else. */
export function createRelay(options: RelayOptions): Relay {
  const core = new Core(readOptions(options));
  const respond = async (request: Request, about?: WebAbout) => {
    const { status, headers, body } = await core.answer(webIncoming(request, about));
    return new Response(status === 204 ? null : body, { status, headers });
  };
  return Object.assign(respond, {
    answer: (incoming: Incoming) => core.answer(incoming),
    tracker: core.keeper.tracker,
    isReady: () => core.isReady,
    stats: () => core.stats(),
    close: (finish?: FinishOptions) => core.close(finish),
  });
}

class Core {
  readonly keeper: Keeper;
  readonly #settings: Settings;
  readonly #tickets: Tickets;
  readonly #jwts: Jwts | undefined;
  readonly #origins: Origins;
  readonly #addresses: Addresses;
  readonly #bodies: Bodies;
  readonly #byTicket: Rates;
  readonly #byAddress: Rates;
  readonly #refused: Partial<Record<RefusalWord, number>> = {};
  readonly #counts = { tickets: 0, taken: 0, invalid: 0, unproven: 0 };
  #isClosing = false;
  #loggedAt = 0;

  constructor(settings: Settings) {
    const { baseUrl, correlationKey, durability, jwt, limits, origins, proxies } = settings;
    this.#settings = settings;
    this.#tickets = new Tickets({ ...settings, audience: `${correlationKey} of ${baseUrl}` });
    this.#jwts = jwt && new Jwts(jwt);
    this.#origins = new Origins(origins);
    this.#addresses = new Addresses(proxies);
    this.#bodies = new Bodies(limits);
    this.#byTicket = new Rates(limits.ticketEventsPerMinute);
    this.#byAddress = new Rates(limits.addressEventsPerMinute);
    this.keeper = durability === 'upstream' ? new UpstreamKeeper(settings) : new JournalKeeper(settings);
  }

  get isReady(): boolean {
    return !this.#isClosing && this.keeper.isReady;
  }

  stats(): RelayStats {
    const { bytes } = this.#bodies;
    return {
      ...this.#counts,
      repeated: this.keeper.repeated,
      refused: { ...this.#refused },
      pendingBytes: bytes,
      window: this.keeper.window(this.#settings.clock.now()),
    };
  }

  async answer(incoming: Incoming): Promise<Answer> {
    const cors = this.#origins.cors(incoming);
    try {
      const body = await this.#take(incoming);
      if (!isObject(body))
        return this.#origins.preflight(incoming) ?? refuse(new Refusal('wrong_origin'), cors);
      return answer('ticket' in body ? 200 : 202, body, cors);
    } catch (error) {
      if (!(error instanceof Refusal)) this.#log(error);
      const refusal = error instanceof Refusal ? error : new Refusal('busy');
      this.#refused[refusal.word] = (this.#refused[refusal.word] ?? 0) + 1;
      return refuse(refusal, cors);
    }
  }

  async close(options?: FinishOptions): Promise<void> {
    this.#isClosing = true;
    await this.keeper.close(options);
  }

  /** The body of the answer; undefined for a preflight request. Throws a refusal. */
  async #take(incoming: Incoming): Promise<object | undefined> {
    const { clock } = this.#settings;
    if (incoming.method === 'OPTIONS') return undefined;
    if (incoming.method !== 'POST') throw new Refusal('wrong_method');
    if (this.#isClosing) throw new Refusal('closing');
    if (!this.#origins.allows(incoming)) throw new Refusal('wrong_origin');
    const encoding = incoming.header('content-encoding') ?? 'identity';
    const isKnown = encoding === 'identity' || encoding === 'gzip';
    if (!isKnown || !JSON_TYPE.test(incoming.header('content-type') ?? '')) throw new Refusal('wrong_type');
    const address = this.#addresses.of(incoming);
    this.#count(1, clock.now(), address);
    const use = async (body: Uint8Array) => this.#handle(parse(body), incoming, address);
    const { parsed } = incoming;
    // What a framework has parsed takes the same road: the same bounds hold for it.
    if (parsed !== undefined) return use(bytesOf(parsed, this.#settings.limits.maxBodyBytes));
    return this.#bodies.with(incoming.body(), encoding === 'gzip', use);
  }

  #handle(body: unknown, incoming: Incoming, address: string | undefined): Promise<object> {
    if (!isObject(body)) throw new Refusal('malformed');
    return 'batch' in body ? this.#keep(body, incoming, address) : this.#issue(body, incoming);
  }

  async #issue({ jwt }: Readonly<Record<string, unknown>>, incoming: Incoming): Promise<object> {
    const { clock, identify, ticketMs } = this.#settings;
    const customer = jwt === undefined ? await this.#identify(identify, incoming) : await this.#readJwt(jwt);
    if (!isNonEmptyString(customer)) throw new Refusal('no_customer');
    const ticket = this.#tickets.issue(customer, clock.now());
    this.#counts.tickets += 1;
    return { ticket, customer, expiresInMs: ticketMs };
  }

  /** Who is signed in, by the cookies of the request. */
  async #identify(identify: Settings['identify'], incoming: Incoming): Promise<string | undefined | null> {
    if (!this.#origins.isSame(incoming)) throw new Refusal('wrong_origin');
    return identify?.(incoming.request(), incoming.native);
  }

  #readJwt(jwt: unknown): Promise<string> | undefined {
    return typeof jwt === 'string' ? this.#jwts?.read(jwt, this.#settings.clock.now()) : undefined;
  }

  /** Reads no cookie: the ticket alone says whose events these are. */
  async #keep(
    body: Readonly<Record<string, unknown>>,
    incoming: Incoming,
    address: string | undefined,
  ): Promise<object> {
    const { clock, context, correlationKey, limits } = this.#settings;
    const { batch, parcel, ticket } = body;
    if (!Array.isArray(batch) || batch.length === 0) throw new Refusal('malformed');
    if (parcel !== undefined && !isUuid(parcel)) throw new Refusal('malformed');
    if (batch.length > limits.maxEvents) throw new Refusal('too_large');
    const now = clock.now();
    const claims = this.#claims(ticket, now);
    this.#count(batch.length, now, address, claims && String(ticket));
    const from = { now, userAgent: incoming.header('user-agent'), address };
    const { events, refused } = readEvents(batch, {
      correlationKey,
      customer: claims?.customer,
      now,
      maxEventBytes: limits.maxEventBytes,
      context: contextOf(context, from),
    });
    const scope = claims ? `customer ${claims.customer}` : 'nobody';
    await this.keeper.keep({ scope, events, parcel }, now);
    const taken = events.length;
    this.#counts.taken += taken;
    this.#counts.invalid += refused.length;
    if (!claims) this.#counts.unproven += taken;
    return { taken, refused };
  }

  /** Undefined only while tickets are not enforced. */
  #claims(ticket: unknown, now: number): Claims | undefined {
    try {
      return this.#tickets.read(ticket, now);
    } catch (error) {
      if (this.#settings.enforcement === 'enforce') throw error;
      return undefined;
    }
  }

  /** Throws a refusal, and counts nothing, if these events are too many. */
  #count(events: number, now: number, address: string | undefined, ticket?: string): void {
    const counted = [
      [this.#byTicket, ticket],
      [this.#byAddress, address && subnetOf(address)],
    ] as const;
    for (const [rates, who] of counted) if (who) rates.check(who, events, now);
    for (const [rates, who] of counted) if (who) rates.count(who, events, now);
  }

  #log(error: unknown): void {
    const { clock, logger = console, redact } = this.#settings;
    const now = clock.now();
    if (now - this.#loggedAt < LOG_EVERY_MS) return;
    this.#loggedAt = now;
    logger.error({ err: redactedError(error, redact) }, 'Sluice relay: a request failed');
  }
}

/** The bytes of a body that a framework has read, or parsed too. */
function bytesOf(parsed: unknown, most: number): Uint8Array {
  const bytes = parsed instanceof Uint8Array ? parsed : Buffer.from(textOf(parsed));
  if (bytes.length > most) throw new Refusal('too_large');
  return bytes;
}

/** JSON that is nested too deeply for the engine is malformed here too. */
function textOf(parsed: unknown): string {
  return typeof parsed === 'string' ? parsed : (tried(() => JSON.stringify(parsed)) ?? '');
}

function parse(body: Uint8Array): unknown {
  if (isTooDeep(body, MOST_DEPTH)) throw new Refusal('malformed');
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString());
  } catch {
    throw new Refusal('malformed');
  }
}
