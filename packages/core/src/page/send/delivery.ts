import { type Backoff, backoffDelayMs, type Clock } from '@sluice/protocol/toolbox';
import type { ClockOffset } from '../../accept/clock-offset.ts';
import type { Fate } from '../../base/fate.ts';
import type { Settings } from '../../options/settings.ts';
import type { Breaker } from '../../pace/breaker.ts';
import { probeMs } from '../../pace/wait-times.ts';
import { type Rule, ruleOf, WRONG } from '../../send/delivery-policy.ts';
import type { Outcome, ReadRejected } from '../../send/http/transport.ts';
import { requestFailed } from '../../send/request-failed.ts';
import type { Books } from '../../tell/books.ts';
import type { Reporter } from '../../tell/reporter.ts';
import type { Keeper } from '../keep/keeper.ts';
import type { Letters } from '../keep/letters.ts';
import type { Parcel } from '../keep/parcel.ts';
import type { Parcels } from '../keep/parcels.ts';
import { type Batch, type Blame, batchOf, countOf } from './blame.ts';
import type { Limits } from './limits.ts';
import type { Relay } from './relay.ts';
import type { Carried, Requests } from './requests.ts';
import type { Traffic } from './traffic.ts';

/** A page that was left may see the answer to a request for so long. */
const LEASE_MS = 30_000;
const UNAUTHORIZED = 401;
const MOST_WAIT_MS = 1_000;
const DENIED: Backoff = { baseMs: 1_000, maxMs: 60_000 };
const SUSPECT: Backoff = { baseMs: 60_000, maxMs: 60 * 60_000 };
const PROBES = 3;
const WRONG_PROBES = 10;

export interface DeliveryOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: () => number;
  readonly parcels: Parcels;
  readonly keeper: Keeper;
  readonly gate: Breaker;
  readonly blame: Blame;
  readonly requests: Requests;
  readonly limits: Limits;
  readonly rejected: ReadRejected | undefined;
  /** Undefined: the service itself. */
  readonly relay: Relay | undefined;
  readonly reporter: Reporter;
  readonly books: Books;
  readonly offset: Pick<ClockOffset, 'learn'> | undefined;
  /** @param isCounted Whether its events count here. */
  readonly end: (parcel: Parcel, fate: Fate, isCounted?: boolean) => void;
  /** Two parcels take the place of one. */
  readonly cut: (parcel: Parcel, count: number) => Parcel[];
  readonly letters: Letters;
}

export interface Delivery {
  /** Other pages leave these parcels alone while this one may see the answer. */
  lease(parcels: readonly Parcel[]): void;
  deliver(batch: Batch, outlives?: boolean): Promise<void>;
  /** Its halves are sent in its place. @param isOne The first one is as small as it can be. */
  halve(batch: Batch, isOne?: boolean): void;
}

/** Makes a request, and does what its answer asks for. */
export function createDelivery(
  options: DeliveryOptions,
  traffic: Traffic,
  wake: () => void,
  hasOthers: () => boolean,
): Delivery {
  const { settings, clock, random, parcels, keeper, gate, blame, requests, relay, reporter, books } = options;
  const { end, cut, letters, limits, offset, rejected } = options;
  const { delivery } = settings;
  const isStrict = settings.ordering === 'strict';
  const backoff = { baseMs: delivery.retryBaseMs, maxMs: delivery.retryMaxMs };
  const leaseMs = Math.max(LEASE_MS, settings.advanced.headersTimeoutMs);

  function lease(all: readonly Parcel[]): void {
    keeper.lease(all, leaseMs);
  }

  async function deliver(batch: Batch, outlives = false): Promise<void> {
    const before = { ...traffic, at: clock.now() };
    const leasedUntil = before.at + leaseMs;
    const [first] = batch.parcels;
    const texts = batch.parcels.flatMap(({ texts }) => texts ?? []);
    batch.isNamed ||= outlives || first?.isFrozen === true;
    const fields = first && relay?.fields(first, texts, batch.isNamed);
    if (relay && !fields) return putBack(batch);
    let { carried } = batch;
    if (fields || carried?.count !== texts.length) carried = requests.carry(texts, fields);
    batch.carried = carried;
    traffic.running += 1;
    if (!outlives && blame.inARow === 0) {
      lease(batch.parcels);
      void keeper.commit();
    }
    blame.sent(batch);
    limits.sent?.(batch, before.at);
    limits.rate?.take(before.at);
    try {
      const outcome = await requests.post(carried, batch.sent > 1, outlives);
      batch.parcels = batch.parcels.filter(({ state }) => state !== 'ended');
      // The browser goes on with requests of a page that is left, though they seem to fail.
      const isGoingOn =
        outcome.kind === 'failed' && (before.departures < traffic.departures || keeper.isLeft);
      if (!traffic.isStopped || outcome.kind === 'answered')
        handle(batch, carried, outcome, before, isGoingOn ? leasedUntil : 0);
    } finally {
      traffic.running -= 1;
      wake();
    }
  }

  /** Without a ticket it waits for one, or ends if there will be none. */
  function putBack({ parcels: all }: Batch): void {
    keeper.endLease(all);
    for (const parcel of all) {
      parcel.state = 'waiting';
      if (relay?.mayGo(parcel)) end(parcel, 'identity-expired');
    }
  }

  function handle(
    batch: Batch,
    carried: Carried,
    outcome: Outcome,
    before: Traffic & { readonly at: number },
    leasedUntil: number,
  ): void {
    let rule = ruleOf(outcome, delivery.policy);
    const now = clock.now();
    const isAccepted = rule.action === 'accept';
    if (outcome.kind === 'answered' && (isAccepted || rule.reason === 'intercepted')) {
      // If `classify` knows the answer, it is the service's.
      const named = relay ? relay.refused(outcome.body) : rejected?.(carried, outcome);
      if (named?.length === carried.count) {
        // An answer that takes nothing is a refusal.
        rule = WRONG;
        outcome = { ...outcome, body: requests.redact(`${named[0]?.[1] ?? ''}`) };
      } else if (named || isAccepted) {
        const isOutage = gate.pause?.reason === 'unavailable';
        limits.rate?.accepted(now);
        if (gate.accepted()) {
          for (const other of traffic.retries) if (!other.isAlone) other.at = now;
          if (isOutage) limits.rate?.forget();
        }
        blame.accepted(batch, now);
        requests.accepted(carried);
        keeper.answered();
        limits.accepted(batch, now);
        offset?.learn(outcome.date, before.at, now);
        return void settle(batch.parcels, named ?? [], outcome.status);
      }
    }
    const error = requestFailed(outcome, rule, requests.url, now);
    const { excerpt = '', retryAfterMs, status = 0 } = error;
    reporter.requestFailed(error);
    if (before.denials < traffic.denials) {
      for (const parcel of batch.parcels) end(parcel, 'denied');
      return;
    }
    const [first] = batch.parcels;
    if (relay && status === UNAUTHORIZED && first) {
      relay.refuse(first.customer);
      return void putBack(batch);
    }
    if (leasedUntil > 0) return void retry(batch, leasedUntil - now);
    keeper.endLease(batch.parcels);
    batch.status = status;
    batch.words = excerpt;
    if (!rule.isForeign && requests.isEncodingAtFault(carried, status) && rule.action !== 'retry')
      return void retry(batch, 0);
    if (rule.isAmbiguous) books.maybeDuplicate += countOf(batch);
    if (rule.isPushback) {
      const { rate } = limits;
      const isEnough =
        rate?.pushedBack(before.at, now, rule.isAlive, retryAfterMs) && gate.state === 'closed';
      if (retryAfterMs) gate.asked(retryAfterMs, batch, rate?.waitMs(now));
      if (retryAfterMs) return void retry(batch, 0);
      // The service only wants fewer requests.
      if (isEnough) return void again(batch);
    }
    if (rule.action === 'pause' && before.resumes < traffic.resumes) return void retry(batch, 0);
    failed(batch, rule, now);
  }

  /** The events of a request end: the refused ones as dead letters, which are stored in the transaction that releases them. */
  function settle(
    sent: readonly Parcel[],
    refused: readonly (readonly [index: number, reason: string])[],
    status: number,
  ): void {
    const events = sent.flatMap(({ id, texts = [] }) => texts.map((text) => [text, id] as const));
    const excerpts: string[] = [];
    for (const [index, reason] of refused) {
      const [text, id] = events[index] ?? [];
      if (text === undefined) continue;
      const excerpt = requests.redact(reason);
      letters.keep(text, `${id} ${index}`, { status, excerpt });
      excerpts.push(excerpt);
    }
    const left = events.length - excerpts.length;
    for (const parcel of sent) end(parcel, left > 0 ? 'delivered' : 'deadLettered', left === events.length);
    if (left === events.length) return;
    reporter.settled('deadLettered', excerpts.length);
    reporter.settled('delivered', left);
    for (const excerpt of excerpts) reporter.emit('deadLettered', { count: 1, status, excerpt });
  }

  function failed(batch: Batch, rule: Rule, now: number): void {
    const { action, reason } = rule;
    const { parcels: all, status, whole, words } = batch;
    const isDenial = action === 'pause';
    const isWrong = action === 'isolate' || action === 'split';
    const why = { reason, status, words };
    // There may be nothing else to try: then the event at fault must be found all the same.
    const isOnly =
      isStrict ||
      (settings.isOrdered && (isDenial ? rule.endsEvent === true : !whole.isAccepted) && !hasOthers());
    if (!isDenial && action !== 'retry') batch.isRefused = true;
    if (gate.state !== 'closed' && !batch.isAlone) {
      gate.probeFailed(why);
      if (!isOnly) return void again(batch);
    }
    if (action === 'isolate') limits.refused?.(batch, now);
    const isDoubt = blame.failed(batch, isWrong, action === 'retry', isOnly, now);
    const isUnknown = isDenial && !blame.isKnown;
    if (isDenial && (rule.isAskedFor || isStrict || (isUnknown && !rule.endsEvent))) {
      again(batch);
      if (gate.state === 'closed') gate.hold(why);
      return;
    }
    if ((isDoubt || isUnknown) && gate.state === 'closed') {
      gate.doubt(isWrong && !isOnly ? WRONG_PROBES : PROBES);
      return void again(batch);
    }
    switch (blame.verdict(rule, batch, isOnly, isStrict, now)) {
      case 'drop':
        for (const parcel of all) end(parcel, 'refused');
        return;
      case 'shrink':
        limits.tooLarge(batch, now);
        if (isStrict) return void halve(batch);
        // They are as new, and cut as is known now.
        for (const parcel of all) Object.assign(parcel, { whole, state: 'waiting' });
        return;
      case 'halve':
        return void halve(batch);
      case 'end':
        whole.isAccepted = true;
        if (isOnly) blame.ended();
        return void settle(all, [[0, words]], status);
      case 'suspect':
        batch.isSuspect = true;
        if (batch.isAlone || (isStrict && batch.failures < (delivery.maxTries ?? Number.POSITIVE_INFINITY)))
          break;
        batch.before = batch.failures;
        batch.isAlone = true;
        for (const parcel of all) parcel.isAside = true;
    }
    again(batch, isDenial);
  }

  /** Halves are sent at once: a request of several parcels becomes two with fewer, one parcel becomes two. */
  function halve({ parcels: all, whole }: Batch, isOne = false): void {
    const [first] = all;
    const half = (count: number) => (isOne ? 1 : Math.ceil(count / 2));
    const customers = [...new Set(all.map(({ customer }) => customer))];
    const some = customers.slice(0, half(customers.length));
    let halves = [all.slice(0, half(all.length)), all.slice(half(all.length))];
    // Where the order of each customer counts, those of different ones need not wait for each other.
    if (customers.length > 1)
      halves = [true, false].map((isIn) => all.filter(({ customer }) => some.includes(customer) === isIn));
    else if (all.length < 2 && first) halves = cut(first, half(first.count)).map((part) => [part]);
    const pair = { isAccepted: false };
    for (const half of halves) retry(batchOf(half, whole, pair), 0);
  }

  function again(batch: Batch, isDenial = false): void {
    const { isAlone, whole } = batch;
    const failures = batch.failures - batch.before;
    const spread = () => 1 + random() / 2;
    let waitMs = probeMs(Math.max(failures - 1, blame.inARow - 1, 0), backoff, random);
    if (isAlone) waitMs = backoffDelayMs(failures, SUSPECT, spread);
    else if (isDenial) waitMs = backoffDelayMs(failures - 1, DENIED, spread);
    else if (whole.isAccepted) waitMs = Math.min(waitMs, MOST_WAIT_MS * random());
    retry(batch, waitMs);
  }

  function retry(batch: Batch, waitMs: number): void {
    batch.waitMs = waitMs;
    batch.at = clock.now() + waitMs;
    traffic.retries.push(batch);
    // With much in memory, the texts that are stored are read again when they are sent.
    if (parcels.bytes <= settings.buffer.maxBytes / 4) return;
    batch.carried = undefined;
    for (const parcel of batch.parcels) if (parcel.isStored) parcels.unload(parcel);
  }

  return { lease, deliver, halve };
}
