import type { FinishOptions } from '@sluice/core';
import { isUuid } from '@sluice/protocol';
import { type Answer, answer, type Incoming, Refusal, type RefusalWord, refuse } from './exchange.ts';
import { Identities } from './identity/identities.ts';
import { Origins } from './identity/origins.ts';
import { Addresses, subnetOf } from './intake/addresses.ts';
import { Bodies } from './intake/bodies.ts';
import { isGzip, parseJson, sourceOf } from './intake/json.ts';
import { contextOf, isObject, type Refused, readEvents } from './intake/page-events.ts';
import { Rates } from './intake/rates.ts';
import { JournalKeeper } from './keep/journal-keeper.ts';
import type { Keeper } from './keep/keeper.ts';
import { UpstreamKeeper } from './keep/upstream-keeper.ts';
import type { RelayStats } from './relay-stats.ts';
import type { Settings } from './settings.ts';

const JSON_TYPE = /^application\/json *(?:;|$)/i;
/** A request counts as so many events of its address. */
const REQUEST_EVENTS = 1;

/** Takes requests, and answers each. */
export class Reception {
  readonly keeper: Keeper;
  readonly #settings: Settings;
  readonly #origins: Origins;
  readonly #identities: Identities;
  readonly #addresses: Addresses;
  readonly #bodies: Bodies;
  readonly #byTicket: Rates;
  readonly #byAddress: Rates;
  readonly #refused: Partial<Record<RefusalWord, number>> = {};
  readonly #counts = { tickets: 0, taken: 0, invalid: 0, unproven: 0 };
  #isClosing = false;

  constructor(settings: Settings) {
    const { durability, limits, origins, proxies } = settings;
    this.#settings = settings;
    this.#origins = new Origins(origins);
    this.#identities = new Identities(settings, this.#origins);
    this.#addresses = new Addresses(proxies);
    this.#bodies = new Bodies(limits);
    this.#byTicket = new Rates(limits.ticketEventsPerMinute);
    this.#byAddress = new Rates(limits.addressEventsPerMinute, REQUEST_EVENTS);
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
      if (!isObject(body)) return this.#origins.preflight(incoming);
      return answer('taken' in body ? 202 : 200, body, cors);
    } catch (error) {
      if (!(error instanceof Refusal)) this.#settings.log(error, 'Sluice relay: a request failed');
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
  #take(incoming: Incoming): Promise<object> | undefined {
    const { clock } = this.#settings;
    if (incoming.method === 'OPTIONS') return undefined;
    if (incoming.method !== 'POST') throw new Refusal('wrong_method');
    if (this.#isClosing) throw new Refusal('closing');
    if (!this.#origins.allows(incoming)) throw new Refusal('wrong_origin');
    const encoding = incoming.header('content-encoding') ?? 'identity';
    const isKnown = encoding === 'identity' || encoding === 'gzip';
    if (!isKnown || !JSON_TYPE.test(incoming.header('content-type') ?? '')) throw new Refusal('wrong_type');
    const address = this.#addresses.of(incoming);
    this.#count(REQUEST_EVENTS, clock.now(), address);
    const use = (body: Uint8Array) => this.#handle(parseJson(body), incoming, address);
    const { parsed } = incoming;
    if (parsed === undefined) return this.#bodies.with(incoming.body(), encoding === 'gzip', use);
    // Most frameworks have inflated what they have read.
    return this.#bodies.with(sourceOf(parsed), encoding === 'gzip' && isGzip(parsed), use);
  }

  #handle(body: unknown, incoming: Incoming, address: string | undefined): Promise<object> {
    if (!isObject(body)) throw new Refusal('malformed');
    return 'batch' in body ? this.#keep(body, incoming, address) : this.#issue(body.jwt, incoming);
  }

  async #issue(jwt: unknown, incoming: Incoming): Promise<object> {
    const issued = await this.#identities.issue(jwt, incoming);
    if ('ticket' in issued) this.#counts.tickets += 1;
    return issued;
  }

  /** Reads no cookie: the ticket alone says whose events these are. */
  #keep(
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
    const claims = this.#identities.claims(ticket, now);
    this.#count(batch.length, now, address, claims?.name);
    const from = { now, userAgent: incoming.header('user-agent'), address };
    const { events, refused } = readEvents(batch, {
      correlationKey,
      customer: claims?.customer,
      now,
      maxEventBytes: limits.maxEventBytes,
      context: contextOf(context, from),
    });
    const kept = this.keeper.keep({ customer: claims?.customer, events, parcel }, now);
    return this.#kept(kept, { taken: events.length, refused }, claims === undefined);
  }

  /** Gets no body: what is parsed may take twenty times its bytes, and the disk or the service may be slow. */
  async #kept(
    kept: Promise<void>,
    answered: { readonly taken: number; readonly refused: readonly Refused[] },
    isUnproven: boolean,
  ): Promise<object> {
    await kept;
    const { refused, taken } = answered;
    this.#counts.taken += taken;
    this.#counts.invalid += refused.length;
    if (isUnproven) this.#counts.unproven += taken;
    return answered;
  }

  /** Throws a refusal, and counts nothing, if these events are too many. */
  #count(events: number, now: number, address: string | undefined, ticket?: string): void {
    const subnet = address && subnetOf(address);
    if (ticket) this.#byTicket.check(ticket, events, now);
    if (subnet) {
      this.#byAddress.check(subnet, events, now);
      this.#byAddress.count(subnet, events, now);
    }
    if (ticket) this.#byTicket.count(ticket, events, now);
  }
}
